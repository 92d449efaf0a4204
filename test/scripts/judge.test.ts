import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { makeTmpDir, run } from '../support/command.ts';

const folder = fileURLToPath(new URL('../lab/judge/judged/', import.meta.url));
const judge = (...args: string[]) =>
  run('scripts/judge.ts', args, { DATABASE_URL: inject('scratchUrl') });

describe('the judge cannot run', () => {
  test.each([
    ['unusable-syntax.ts', /^\/.+\/unusable-syntax\.ts:2: Unexpected end of file$/m],
    ['unusable-missing-import.ts', /\.ts:1: Could not resolve ".\/not-here.ts"$/m],
  ])('%s, from a folder outside the project', async (name, words) => {
    const directory = makeTmpDir();
    copyFileSync(path.join(folder, `${name}.txt`), path.join(directory, name));
    const { ended, stdout, stderr } = judge(path.join(directory, name));
    expect((await ended).code).toBe(2);
    expect(stdout()).toBe('');
    expect(stderr()).toMatch(words);
    expect(stderr().trimEnd().split('\n')).toHaveLength(1);
  });

  // test/slow/scripts/judge.test.ts has more files that are no strategies.
  test.each([
    [['no-such-file.ts'], /There is no file \S+\/no-such-file\.ts\./],
    [[], /One file is needed/],
  ])('%j', async (args, words) => {
    const { ended, stderr } = judge(...args);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(words);
  });
});

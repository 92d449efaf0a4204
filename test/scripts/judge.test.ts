import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { makeTmpDir, runJudge } from '../support/command.ts';

const folder = fileURLToPath(new URL('../lab/judge/judged/', import.meta.url));
const judge = (...args: string[]) => runJudge(args, { DATABASE_URL: inject('scratchUrl') });

describe('the judge cannot run', () => {
  test.each([
    ['unusable-syntax.ts', /does not compile: .+ \(line \d\)/],
    [
      'unusable-missing-import.ts',
      /does not compile: Could not resolve ".\/not-here.ts" \(line 1\)/,
    ],
  ])('%s, from a folder outside the project', async (name, words) => {
    const directory = makeTmpDir();
    copyFileSync(path.join(folder, `${name}.txt`), path.join(directory, name));
    const { ended, stdout, stderr } = judge(path.join(directory, name));
    expect((await ended).code).toBe(2);
    expect(stdout()).toBe('');
    expect(stderr()).toMatch(words);
    expect(stderr().trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    [[path.join(folder, 'unusable-no-default.ts')], /has no default export that is a strategy/],
    [['no-such-file.ts'], /There is no file no-such-file\.ts/],
    [['/etc/hostname'], /^\/etc\/hostname is no TypeScript or JavaScript file\.\n$/],
    [[folder], /is no TypeScript or JavaScript file\.\n$/],
    [[], /One file is needed/],
  ])('%j', async (args, words) => {
    const { ended, stderr } = judge(...args);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(words);
  });
});

test('a strategy outside the project finds the project and its packages', async () => {
  const directory = makeTmpDir();
  const file = path.join(directory, 'mine.ts');
  copyFileSync(path.join(folder, 'right-row-lock.ts'), file);
  const { ended, stdout } = judge(file);
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/Verdict on my-row-lock: it holds\.\n$/);
});

import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject } from 'vitest';
import type { Judgement } from '../../src/lab/judge/judge.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, run } from './command.ts';

/** The folder of the strategies that the tests judge. */
export const judgedFolder = inProject('test/lab/judge/judged');

export const judge = (...args: string[]) =>
  run('scripts/judge.ts', args, { DATABASE_URL: inject('scratchUrl') });

/** Judges a strategy of the folder above. Returns the judgement and the exit code. */
export async function judgementOf(
  name: string,
  ...options: string[]
): Promise<Judgement & { code: number | null }> {
  const { ended, stdout } = judge(path.join(judgedFolder, name), '--json', ...options);
  const { code } = await ended;
  return { code, ...JSON.parse(stdout()) };
}

/**
 * Asserts that a file in a folder outside the project cannot be judged, and that one line gives the
 * reason.
 */
export async function expectUnusable(name: string, words: RegExp) {
  const file = path.join(makeTmpDir(), name);
  copyFileSync(path.join(judgedFolder, `${name}.txt`), file);
  const { ended, stdout, stderr } = judge(file);
  expect((await ended).code).toBe(2);
  expect(stdout()).toBe('');
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
}

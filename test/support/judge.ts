import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject } from 'vitest';
import type { Judgement } from '../../src/lab/judge/judge.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, run } from './command.ts';

/** The folder of the strategies that the tests judge. */
export const judgedFolder = inProject('test/lab/judge/judged');

/**
 * The folder of strategies that somebody wrote without knowing the situations. The first word of a
 * file's name is its chapter.
 */
export const blindFolder = inProject('test/lab/judge/blind');

export const judge = (...args: string[]) =>
  run('scripts/judge.ts', args, { DATABASE_URL: inject('scratchUrl') });

/** Judges a file. Returns the judgement and the exit code. */
export async function judgementIn(
  file: string,
  ...options: string[]
): Promise<Judgement & { code: number | null }> {
  const { ended, stdout } = judge(file, '--json', ...options);
  const { code } = await ended;
  return { code, ...JSON.parse(stdout()) };
}

/** Judges a file of `judgedFolder`. */
export const judgementOf = (name: string, ...options: string[]) =>
  judgementIn(path.join(judgedFolder, name), ...options);

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

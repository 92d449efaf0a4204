import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, run } from './command.ts';
import { wordsOf } from './npm-scripts.ts';
import { withoutProgress } from './race-demo.ts';

export const judged = (name: string) => inProject(path.join('test/lab/judge/judged', name));
export const NAIVE = judged('wrong-naive.ts');

export async function outputOf(command: string, args: string[]) {
  const child = run(`scripts/${command}.ts`, args, { DATABASE_URL: inject('scratchUrl') });
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Runs a line such as `npm run replay -- --file 'my file.ts' 1,2`, as a shell would run it. */
export function paste(line: string) {
  const [, command = '', rest = ''] = /^npm run ([\w-]+) -- (.+)$/.exec(line) ?? [];
  return outputOf(command, wordsOf(rest));
}

/** Returns the transcript in an output, from its first line to the line before `replay:`. */
export const transcriptIn = (stdout: string) =>
  /^ {6}S1[\s\S]+?(?=\nreplay: )/m.exec(stdout)?.[0] ?? '';

export const replaysIn = (stdout: string) =>
  [...stdout.matchAll(/^ *replay: (npm run .+)$/gm)].map(([, line]) => line ?? '');

/** Writes a file with this text into a new folder. Returns the path of the file. */
export function fileWith(text: string, name = 'mine.ts'): string {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, text);
  return file;
}

/** Judges a wrong strategy. Asserts that the printed replay commands play the same schedules. */
export async function expectReplays(chapter: string, name: string) {
  const file = path.join(makeTmpDir(), 'my file.ts');
  copyFileSync(judged(name), file);
  const { code, stdout } = await outputOf('judge', ['--file', file, '--chapter', chapter]);
  expect(code).toBe(1);
  const [first = '', ...others] = replaysIn(stdout);
  const played = await paste(first);
  expect(played.code, played.stderr).toBe(0);
  expect(played.stdout).toContain(transcriptIn(stdout));
  expect(stdout.match(/^ {6}S1/gm)).toHaveLength(1);
  const last = others.at(-1);
  if (last) expect((await paste(last)).stdout).toMatch(/^schedule: /m);
}

/** The commands that run a student's file, with the arguments that follow the file. */
export const DOORS: [command: string, more: string[]][] = [
  ['judge', []],
  ['explore', []],
  ['replay', ['1,2']],
  ['race-demo', []],
];

/** Asserts that the command prints only one line, on stderr, and ends with the exit code 2. */
export async function expectOneLine(command: string, args: string[], line: RegExp) {
  const { code, stdout, stderr } = await outputOf(command, args);
  const said = withoutProgress(stderr);
  expect([code, stdout]).toEqual([2, '']);
  expect(said).toMatch(line);
  expect(said.trimEnd().split('\n')).toHaveLength(1);
}

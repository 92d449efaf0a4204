import { expect } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { run, runServer } from './command.ts';

/** A strategy and a program that the server could show. */
export const FILE = inProject('test/lab/judge/judged/right-row-lock.ts');
export const NAIVE = inProject('test/lab/programs/functions/naive.mjs');

/** The arguments and settings of a server, and the line that refuses to start the server. */
export type Refused = [why: string, args: string[], env: Record<string, string>, words: RegExp];

/** Asserts that a server with these arguments and settings does not start, and says why. */
export async function expectRefusal(args: string[], env: Record<string, string>, words: RegExp) {
  const server = runServer(env, args);
  expect(await server.ended).toEqual({ code: 2, signal: null });
  expect(server.stdout()).toBe('');
  expect(server.stderr()).toMatch(words);
}

/** Asserts that a command with these arguments is refused in one line. */
export async function expectOneLineOf([script = '', ...args]: string[], words: RegExp) {
  const { ended, stderr } = run(script, args);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KeptChild } from '../../platform/process/child.ts';

/** The maximum time of a start. Redis usually starts in 20 ms, and etcd in 200 ms. */
const START_MS = 10_000;

/**
 * Starts a program in a new temporary folder, and waits until its output has the words `ready`.
 * `settings` are further environment variables. The program does not keep this process alive.
 * Throws if the program ends before it is ready, or takes longer than 10 s. If the program has
 * ended, the message of the error is the last line of the program's output.
 */
export async function startProgram(
  file: string,
  argsIn: (folder: string) => string[],
  ready: RegExp,
  settings: Record<string, string> = {},
): Promise<KeptChild> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-store-'));
  const surroundings = { cwd: folder, settings, throwAway: folder };
  const program = new KeptChild([file, ...argsIn(folder)], surroundings);
  if (await program.says(ready, START_MS)) {
    program.unref();
    return program;
  }
  const failure = program.hasEnded
    ? program.said.trim().split('\n').at(-1) || 'it ended'
    : 'it takes too long';
  await program.kill();
  throw new Error(failure);
}

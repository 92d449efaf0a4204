import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { isRunning, makeTmpDir, run } from './command.ts';
import { programFile } from './program.ts';

export const faults = (args: string[], env = {}) => run('scripts/faults.ts', args, env);

/** The maximum wait for the first faults. A slow machine needs long to start the servers. */
const START_PATIENCE_MS = 150_000;

/** Returns the ids of the command's child processes: the server, and the guard of PostgreSQL. */
const childrenOf = (pid: number | undefined): number[] =>
  execFileSync(programFile('ps'), ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));

/**
 * Starts a run with a new directory for temporary files. Resolves in the middle of the faults. The
 * test needs the tag `ps`.
 */
export async function runningFaults(scenario: string) {
  const TMPDIR = makeTmpDir();
  const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));
  const wanted = ['--scenario', scenario, '--kills', '100000', '--tasks', '100000'];
  const command = faults(wanted, { TMPDIR });
  const says = () => expect(command.stderr()).toMatch(new RegExp(`${scenario}: \\d+ of`));
  await vi.waitFor(says, { timeout: START_PATIENCE_MS });
  const children = childrenOf(command.child.pid);
  expect(children.length).toBeGreaterThanOrEqual(2);
  expect(left()).toHaveLength(1);
  return { ...command, left, stillRun: () => children.filter(isRunning) };
}

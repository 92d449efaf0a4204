import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { Experiment } from '../../src/lab/sandbox/experiment.ts';
import { temporaryDirectories } from '../../src/platform/postgres/home.ts';
import { processOf } from '../../src/platform/process/process-table.ts';
import { type Command, isRunning, makeDataDir, runServer } from './command.ts';
import { endless, SOME_ENDLESS } from './endless.ts';
import { type Following, follow } from './events.ts';

/** Sends an endless experiment. The attacks of a process have the numbers 0, 1 and so on. */
type Attack = (experiment: Experiment, number: number) => Promise<Following>;

/** Starts a server. `ask` sends an experiment to its sandbox. */
export async function startSandbox() {
  const server = runServer({ DATA_DIR: makeDataDir() });
  const [, url = ''] = await server.says(/listens on (http:\S+)/);
  const ask = (experiment: Experiment) =>
    follow((init) =>
      fetch(`${url}/lab/sandbox`, {
        ...init,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(experiment),
      }),
    );
  return { ...server, ask };
}

/**
 * Ends a process by a signal during endless statements. Asserts that it leaves no process and no
 * folder. Returns how long the process took to end, in milliseconds.
 */
export async function endDuringAttacks(
  { child, ended }: Command,
  signal: NodeJS.Signals,
  attack: Attack,
): Promise<number> {
  const pid = child.pid ?? 0;
  const attacks = await attackUntilAtWork(pid, attack);
  const pids = below(pid);
  expect(folders(pid)).not.toEqual([]);
  const began = performance.now();
  child.kill(signal);
  await ended;
  const took = performance.now() - began;
  await Promise.allSettled(attacks.map((each) => each.ended));
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  await expect.poll(() => folders(pid), { timeout: 20_000 }).toEqual([]);
  return took;
}

/** Returns the descendants of a process. Reads each process only once, since a read takes long. */
function below(ancestor: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Boolean);
  const parents = new Map(all.map((pid) => [pid, processOf(pid)?.parent]));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === ancestor || isBelow(parents.get(pid)));
  return all.filter(isBelow);
}

/** Returns the folders that this process has made for the PostgreSQL servers of its runs. */
const folders = (pid: number) =>
  temporaryDirectories()
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory))
    .filter((name) => name.startsWith(`rowlock-${pid}-`));

/**
 * Attacks until a session is seen in the middle of a statement. On a busy machine, the first
 * attacks may end unseen.
 */
async function attackUntilAtWork(pid: number, attack: Attack): Promise<Following[]> {
  let attacks: Following[] = [];
  const find = async () => {
    if (attacks.every(({ events }) => events.at(-1)?.name === 'failed'))
      attacks = await Promise.all(
        SOME_ENDLESS.map((each, number) => attack(endless(each), number)),
      );
    return backendsAtWork(pid);
  };
  await expect.poll(find, { timeout: 60_000 }).toBeGreaterThan(0);
  return attacks;
}

/** Returns how many sessions of students are in the middle of a statement. */
const backendsAtWork = (server: number) =>
  below(server).filter((pid) =>
    /^postgres: student postgres \S+ (PARSE|BIND|SELECT)$/.test(processOf(pid)?.words[0] ?? ''),
  ).length;

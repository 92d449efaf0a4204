import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { temporaryDirectories } from '../../../../src/platform/postgres/home.ts';
import { print } from '../../../../src/platform/process/print.ts';
import { processOf } from '../../../../src/platform/process/process-table.ts';
import { type Command, isRunning, makeDataDir, runServer } from '../../../support/command.ts';
import { endless, SOME_ENDLESS } from '../../../support/endless.ts';
import { type Following, follow } from '../../../support/events.ts';
import { runRoom, visitorsOf } from '../../../support/room.ts';

// `npm run test:campaigns` runs this file alone, since other work would make a stop longer.
/**
 * A stop takes about one second if nothing else runs. In an earlier version, a stop could take 25 s.
 */
const MOST_STOP_MS = 3_000;

async function startServer() {
  const server = runServer({ DATA_DIR: makeDataDir() });
  const [, url = ''] = await server.says(/listens on (http:\S+)/);
  return { ...server, url, pid: server.child.pid ?? 0 };
}

const ask = ({ url }: { url: string }, experiment: unknown) =>
  follow((init) =>
    fetch(`${url}/lab/sandbox`, {
      ...init,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(experiment),
    }),
  );

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

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a server that ends by %s during endless statements leaves no process and no folder',
  async (signal) => {
    const server = await startServer();
    await expectQuickStop(server, signal, (experiment) => ask(server, experiment));
  },
);

test('a classroom that ends by SIGTERM during endless statements leaves no process and no folder', async () => {
  const room = await runRoom();
  const { join } = visitorsOf(room);
  const students = await Promise.all(SOME_ENDLESS.map((_, index) => join(`Student ${index}`)));
  await expectQuickStop(room.command, 'SIGTERM', (experiment, attack) =>
    (students[attack] ?? expect.fail()).follow('/lab/sandbox', experiment),
  );
});

type Attack = (experiment: Experiment, number: number) => Promise<Following>;

/** Asserts that the process ends quickly during attacks, and that it leaves nothing. */
async function expectQuickStop({ child, ended }: Command, signal: NodeJS.Signals, attack: Attack) {
  const pid = child.pid ?? 0;
  const attacks = await attackUntilAtWork(pid, attack);
  const pids = below(pid);
  expect(folders(pid)).not.toEqual([]);
  const began = performance.now();
  child.kill(signal);
  await ended;
  const took = performance.now() - began;
  print(`${signal}: ${took.toFixed(0)} ms\n`);
  expect(took).toBeLessThan(MOST_STOP_MS);
  await Promise.allSettled(attacks.map((each) => each.ended));
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  await expect.poll(() => folders(pid), { timeout: 20_000 }).toEqual([]);
}

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

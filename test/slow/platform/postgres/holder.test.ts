import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import {
  chooseAccount,
  launch,
  prepareBinaries,
} from '../../../../src/platform/postgres/binaries.ts';
import { startEmbedded } from '../../../../src/platform/postgres/embedded.ts';
import { stopServerOf } from '../../../../src/platform/postgres/holder.ts';
import { markOf } from '../../../../src/platform/process/process-table.ts';
import {
  atEnd,
  type Command,
  isRunning,
  makeDataDir,
  makeTmpDir,
  parentOf,
  postmasterOf,
  run,
} from '../../../support/command.ts';

const hold = (args: string[], env = {}): Command => run('test/support/hold-embedded.ts', args, env);

const homeOf = async (holder: Command) => (await holder.says(/home (.+)\n/))[1] ?? '';

/**
 * Kills a process and the guard of its PostgreSQL, so that PostgreSQL runs on alone. Returns the
 * process id of PostgreSQL.
 */
async function orphan({ child, ended }: Command, home: string): Promise<number> {
  const pid = postmasterOf(home);
  // A process stops PostgreSQL when its guard ends, and a guard stops PostgreSQL when its process
  // ends. So the process is frozen before the guard is killed.
  child.kill('SIGSTOP');
  process.kill(parentOf(pid), 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
  expect(isRunning(pid)).toBe(true);
  atEnd(() => stopServerOf(home, 'SIGQUIT'));
  return pid;
}

const pidFileOf = (home: string) => path.join(home, 'data', 'postmaster.pid');

test.concurrent('the next start stops a PostgreSQL whose Rowlock and guard were killed, and keeps the data', async () => {
  const dataDir = makeDataDir();
  const holder = hold([dataDir]);
  const [, url = ''] = await holder.says(/url (.+)\n/);
  const before = postgres(url, { max: 1 });
  await before`CREATE TABLE kept AS SELECT 7 AS n`;
  await before.end();
  const pid = await orphan(holder, dataDir);

  const embedded = await startEmbedded(dataDir);
  atEnd(embedded.stop);
  expect(isRunning(pid)).toBe(false);
  const after = postgres(embedded.url, { max: 1 });
  expect(await after`SELECT n FROM kept`).toEqual([{ n: 7 }]);
  await after.end();
});

test.concurrent('the server starts although postmaster.pid names a foreign process, and does not end this process', async () => {
  const dataDir = makeDataDir();
  const first = await startEmbedded(dataDir);
  const file = readFileSync(pidFileOf(dataDir), 'utf8');
  await first.stop();
  // PostgreSQL ignores processes of other users, so this process runs as the user of PostgreSQL.
  const idle = spawn('sleep', ['600'], { ...chooseAccount(), cwd: '/', stdio: 'ignore' });
  atEnd(() => idle.kill());
  const other = await startEmbedded();
  atEnd(other.stop);
  for (const stranger of [idle.pid as number, postmasterOf(other.home)]) {
    writeFileSync(pidFileOf(dataDir), file.replace(/^\d+/, String(stranger)));
    const embedded = await startEmbedded(dataDir);
    await embedded.stop();
    expect(isRunning(stranger)).toBe(true);
  }
});

test.concurrent('a start names a PostgreSQL that somebody else started on the data, and does not stop it', async () => {
  const dataDir = makeDataDir();
  await (await startEmbedded(dataDir)).stop();
  const account = chooseAccount();
  const data = path.join(dataDir, 'data');
  const native = prepareBinaries(path.join(dataDir, 'native'), account);
  const options = ['-D', data, '-c', 'listen_addresses=', '-k', dataDir];
  const server = launch(native, 'postgres', account, options);
  atEnd(() => server.kill('SIGQUIT'));
  await vi.waitFor(() => expect(existsSync(pidFileOf(dataDir))).toBe(true), { timeout: 20_000 });
  await expect(startEmbedded(dataDir)).rejects.toThrow(
    `A PostgreSQL, process ${server.pid}, is running on the data in ${data}, and no running ` +
      `Rowlock started it. Stop it first: kill -INT ${server.pid}`,
  );
  await stopServerOf(dataDir, 'SIGINT');
  expect(isRunning(server.pid as number)).toBe(true);
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
});

test.concurrent('a PostgreSQL whose Rowlock is running is stopped only by this Rowlock', async () => {
  const { home, stop } = await startEmbedded();
  atEnd(stop);
  const pid = postmasterOf(home);
  await stopServerOf(home, 'SIGQUIT');
  await stopServerOf(home, 'SIGQUIT', markOf(process.ppid));
  expect(isRunning(pid)).toBe(true);
  await stopServerOf(home, 'SIGQUIT', markOf(process.pid));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
});

test.concurrent('the next start removes a temporary folder whose Rowlock and guard were killed, and no other folder', async () => {
  const TMPDIR = makeTmpDir();
  const killed = hold([], { TMPDIR });
  const living = hold([], { TMPDIR });
  const [left, used] = await Promise.all([homeOf(killed), homeOf(living)]);
  const pid = await orphan(killed, left);
  const next = hold([], { TMPDIR });
  await homeOf(next);
  await vi.waitFor(() => expect(existsSync(left)).toBe(false), { timeout: 20_000 });
  expect(isRunning(pid)).toBe(false);
  expect(isRunning(postmasterOf(used))).toBe(true);
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { vi } from 'vitest';
import { openHome } from '../../src/platform/postgres/home.ts';
import { freePort } from '../../src/platform/postgres/postmaster.ts';
import { markOf } from '../../src/platform/process/process-table.ts';
import { atEnd } from './command.ts';
import { programFile } from './program.ts';

/**
 * Returns the folder of a distribution's PostgreSQL, with `psql`, `pg_dump` and `pg_basebackup`.
 * The embedded PostgreSQL does not have these programs.
 */
export const programs = () => path.dirname(fs.realpathSync(programFile('postgresql')));

/** Makes a folder for the data of PostgreSQL, and chooses an account that is not root. */
export function makeHome() {
  const owner = markOf(process.pid);
  const { home, account } = openHome({ keepIn: undefined, owner, durable: false });
  atEnd(() => fs.rmSync(home, { recursive: true, force: true }));
  /** Runs a program of PostgreSQL in this folder, with this account. */
  const run = async (program: string, args: string[], env: Record<string, string> = {}) => {
    const { stdout } = await promisify(execFile)(path.join(programs(), program), args, {
      ...account,
      cwd: home,
      env: { PATH: process.env.PATH, LC_ALL: 'C', ...env },
    });
    return stdout;
  };
  return { home, account, run };
}

export type Home = ReturnType<typeof makeHome>;

const PASSWORD = 'secret';

/** Makes an empty cluster in the folder `data` of a home. */
export async function makeCluster({ home, account, run }: Home) {
  const file = path.join(home, 'password');
  fs.writeFileSync(file, PASSWORD);
  if (account) fs.chownSync(file, account.uid, account.gid);
  await run('initdb', ['-D', 'data', '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${file}`]);
}

/**
 * Starts the cluster in a folder of a home. Returns the address and the process id of the server,
 * and functions that read its log and stop it.
 */
export async function startCluster(
  { home, account }: Home,
  folder = 'data',
  settings: string[] = [],
) {
  const port = await freePort();
  const server = spawn(
    path.join(programs(), 'postgres'),
    [
      ...['-D', path.join(home, folder), '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'unix_socket_directories=', ...settings.flatMap((each) => ['-c', each])],
    ],
    { ...account, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = once(server, 'close');
  const stop = async () => {
    server.kill('SIGINT');
    await ended;
  };
  atEnd(stop);
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  await vi.waitFor(
    async () => {
      if (server.exitCode !== null) throw new Error(said);
      const sql = postgres(url, { max: 1 });
      try {
        const [row] = await sql`SELECT pg_is_in_recovery() AS is`;
        if (row?.is) throw new Error('still in recovery');
      } finally {
        await sql.end();
      }
    },
    { timeout: 30_000, interval: 100 },
  );
  return { url, port, pid: server.pid as number, log: () => said, stop };
}

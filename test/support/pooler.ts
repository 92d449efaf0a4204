import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { type Account, lastWords } from '../../src/platform/postgres/binaries.ts';
import { openHome } from '../../src/platform/postgres/home.ts';
import { freePort } from '../../src/platform/postgres/postmaster.ts';
import { markOf } from '../../src/platform/process/process-table.ts';
import { atEnd } from './command.ts';
import { programFile } from './program.ts';

/** Settings that clients send when they connect. By default, PgBouncer refuses such connections. */
export const SETTINGS = [
  'extra_float_digits',
  'default_transaction_isolation',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'tcp_keepalives_idle',
  'tcp_keepalives_interval',
  'tcp_keepalives_count',
];

interface PoolerSettings {
  mode: 'session' | 'transaction' | 'statement';
  /** Settings that PgBouncer ignores. */
  dropped?: string[];
  /** The largest number of connections to the server. */
  size?: number;
  /** The maximum time in seconds that a client waits for a connection to the server. */
  waitSeconds?: number;
}

/**
 * Starts PgBouncer in front of the database. Returns its address. Ends PgBouncer after the tests.
 */
export const makePooler = async (databaseUrl: string, settings: PoolerSettings): Promise<string> =>
  (await startPooler(databaseUrl, settings)).url;

/**
 * Does the same as `makePooler`. The result can also kill PgBouncer, and start it again at the same
 * address.
 */
export async function startPooler(databaseUrl: string, settings: PoolerSettings) {
  // Like PostgreSQL, PgBouncer refuses to run as root.
  const owner = markOf(process.pid);
  const { home, account } = openHome({ keepIn: undefined, owner, durable: false });
  atEnd(() => fs.rmSync(home, { recursive: true, force: true }));
  const config = path.join(home, 'pgbouncer.ini');
  const port = await freePort();
  // The configuration has the password, so only its owner may read the file.
  fs.writeFileSync(config, configOf(databaseUrl, settings, port), { mode: 0o600 });
  if (account) fs.chownSync(config, account.uid, account.gid);
  let kill = await launch(config, account);
  atEnd(() => kill());
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    kill: () => kill(),
    async start() {
      kill = await launch(config, account);
    },
  };
}

/** Starts PgBouncer. Returns a function that kills PgBouncer and waits for its end. */
async function launch(config: string, account: Account): Promise<() => Promise<void>> {
  const pooler = spawn(programFile('pgbouncer'), [config], {
    ...account,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const words = lastWords(pooler);
  const ended = once(pooler, 'close');
  await new Promise<void>((resolve, reject) => {
    pooler.stderr?.on('data', () => words().includes('process up') && resolve());
    void ended.then(() => reject(new Error(`PgBouncer did not start: ${words()}`)));
  });
  return async () => {
    pooler.kill('SIGKILL');
    await ended;
  };
}

/**
 * Returns the configuration of PgBouncer. PgBouncer accepts every client without a password, since
 * only this machine can connect. PgBouncer connects to PostgreSQL with the account of the tests.
 */
function configOf(
  databaseUrl: string,
  { mode, dropped = [], size = 30, waitSeconds = 120 }: PoolerSettings,
  port: number,
): string {
  const { hostname, port: behind, username, password, pathname } = new URL(databaseUrl);
  const quoted = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`;
  const login = password === '' ? '' : ` password=${quoted(password)}`;
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${behind || 5432} user=${quoted(username)}${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
query_wait_timeout = ${waitSeconds}
ignore_startup_parameters = ${dropped.join(',')}
`;
}

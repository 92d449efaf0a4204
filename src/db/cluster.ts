import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PlainError } from '../main.ts';
import { type Account, canEnter, chooseAccount, prepareBinaries } from './binaries.ts';

/** A PostgreSQL data directory that is ready to be served. */
export interface Cluster {
  home: string;
  data: string;
  native: string;
  account: Account;
  password: string;
  throwAway: boolean;
}

export interface Server {
  port: number;
  /** Resolves with the last words when the server ends, for whatever reason. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

export const SUPERUSER = 'rowlock';
const START_PATIENCE_MS = 5_000;
const STOP_PATIENCE_MS = 10_000;

/** Makes a throw-away home, or opens the one that is kept. */
export function openHome(keepIn: string | undefined): Pick<Cluster, 'home' | 'account'> {
  const account = chooseAccount();
  const home = keepIn === undefined ? throwAwayHome(account) : keptHome(keepIn, account);
  if (account) fs.chownSync(home, account.uid, account.gid);
  fs.chmodSync(home, 0o700);
  return { home, account };
}

function throwAwayHome(account: Account): string {
  const parent = [tmpdir(), '/tmp', '/var/tmp'].find((directory) => canEnter(directory, account));
  return fs.mkdtempSync(path.join(parent ?? tmpdir(), 'rowlock-'));
}

/** Root's checkout is often where PostgreSQL's own user may not go; then /var/lib serves. */
function keptHome(keepIn: string, account: Account): string {
  const name = createHash('sha256').update(keepIn).digest('hex').slice(0, 12);
  const home = canEnter(path.dirname(keepIn), account) ? keepIn : `/var/lib/rowlock/${name}`;
  fs.mkdirSync(home, { recursive: true });
  return home;
}

/** Runs initdb where there is no data yet: into another directory first, so that one that was
 * interrupted is never taken for a whole one. */
export async function openCluster(
  { home, account }: Pick<Cluster, 'home' | 'account'>,
  throwAway: boolean,
  signal: AbortSignal,
): Promise<Cluster> {
  const native = prepareBinaries(home, account);
  const data = path.join(home, 'data');
  const passwordFile = path.join(home, 'password');
  if (!fs.existsSync(data)) {
    fs.writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account) fs.chownSync(passwordFile, account.uid, account.gid);
    const fresh = path.join(home, 'data.new');
    fs.rmSync(fresh, { recursive: true, force: true });
    await initdb(native, fresh, passwordFile, account, throwAway, signal);
    fs.renameSync(fresh, data);
  }
  const password = fs.readFileSync(passwordFile, 'utf8');
  return { home, data, native, account, password, throwAway };
}

async function initdb(
  native: string,
  data: string,
  passwordFile: string,
  account: Account,
  throwAway: boolean,
  signal: AbortSignal,
) {
  const options = ['-D', data, '-U', SUPERUSER, '--auth=scram-sha-256', '--pwfile', passwordFile];
  const locale = ['--encoding=UTF8', '--locale=C'];
  const child = launch(native, 'initdb', account, [
    ...options,
    ...locale,
    ...(throwAway ? ['--no-sync'] : []),
  ]);
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  const words = lastWords(child);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code !== 0) throw new PlainError(`initdb failed: ${words()}`);
}

/** Starts the server on a free port of the loopback address. */
export async function startServer(cluster: Cluster): Promise<Server> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const started = await tryStart(cluster, await freePort());
    if ('server' in started) return started.server;
    // Somebody took the port since we looked, or a predecessor is still being stopped.
    const mayPass = /could not bind|postmaster\.pid/.test(started.words);
    if (!mayPass || Date.now() > deadline) throw new PlainError(explain(cluster, started.words));
    await setTimeout(200);
  }
}

function explain({ data }: Cluster, words: string): string {
  if (!words.includes('postmaster.pid')) return `PostgreSQL did not start: ${words.trim()}`;
  return (
    `Another Rowlock is running on the data in ${data}. Stop it first; or give several servers ` +
    'one DATABASE_URL.'
  );
}

/** A port that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function tryStart(
  cluster: Cluster,
  port: number,
): Promise<{ server: Server } | { words: string }> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  // Nobody misses a throw-away database after a power cut.
  if (cluster.throwAway) settings.push('fsync=off', 'full_page_writes=off');
  const child = launch(cluster.native, 'postgres', cluster.account, [
    ...['-D', cluster.data, '-p', String(port)],
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const words = lastWords(child);
  const ended = once(child, 'close').then(words);
  const ready = new Promise<boolean>((resolve) => {
    child.stderr?.on('data', () => {
      if (words().includes('ready to accept connections')) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  if (!(await ready)) return { words: words() };
  return { server: { port, ended, stop: () => stopServer(child, cluster.throwAway) } };
}

/** Fast shutdown, then immediate, then none of the server's choosing. */
async function stopServer(child: ChildProcess, throwAway: boolean) {
  const signals: NodeJS.Signals[] = throwAway
    ? ['SIGQUIT', 'SIGKILL']
    : ['SIGINT', 'SIGQUIT', 'SIGKILL'];
  for (const name of signals) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close', { signal: AbortSignal.timeout(STOP_PATIENCE_MS) });
    child.kill(name);
    await closed.catch(() => undefined);
  }
}

function launch(native: string, name: string, account: Account, args: string[]): ChildProcess {
  return spawn(path.join(native, 'bin', name), args, {
    ...account,
    cwd: path.parse(native).root,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
}

/** Keeps the end of what a program says on stderr, which is where PostgreSQL gives its reasons. */
function lastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  return () => text;
}

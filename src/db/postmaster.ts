import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PlainError } from '../errors.ts';
import { gist, lastWords, launch } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { dataOf } from './home.ts';

/** A PostgreSQL that serves a cluster. */
export interface Server {
  port: number;
  /** Resolves with the reason, as far as it gave one, when the server ends. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

const START_PATIENCE_MS = 5_000;
/** It has to replay its log first when it was not stopped in order the last time. */
const READY_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;

/** Starts the server on this port of the loopback address, or on a free one. */
export async function startServer(
  cluster: Cluster,
  signal: AbortSignal,
  port?: number,
): Promise<Server> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const started = await tryStart(cluster, port ?? (await freePort()), signal);
    if ('server' in started) return started.server;
    signal.throwIfAborted();
    // Somebody took the port since we looked, or a predecessor is still being stopped.
    const mayPass = /could not bind|postmaster\.pid/.test(started.words);
    if (!mayPass || Date.now() > deadline) throw new PlainError(explain(cluster, started.words));
    await setTimeout(200);
  }
}

function explain({ data }: Cluster, words: string): string {
  if (!words.includes('postmaster.pid')) return `PostgreSQL did not start: ${gist(words)}`;
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
  signal: AbortSignal,
): Promise<{ server: Server } | { words: string }> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  // Nobody misses a throw-away database after a power cut.
  if (cluster.throwAway) settings.push('fsync=off', 'full_page_writes=off');
  const child = launch(cluster.native, 'postgres', cluster.account, [
    ...['-D', cluster.data, '-p', String(port)],
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const words = lastWords(child);
  const ended = once(child, 'close').then(() => gist(words()));
  const ready = new Promise<boolean>((resolve) => {
    child.stderr?.on('data', () => {
      if (words().includes('ready to accept connections')) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  const tooLate = AbortSignal.any([signal, AbortSignal.timeout(READY_PATIENCE_MS)]);
  const giveUp = () => child.kill('SIGQUIT');
  tooLate.addEventListener('abort', giveUp);
  const isReady = await ready;
  tooLate.removeEventListener('abort', giveUp);
  if (!isReady) return { words: words() };
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

/**
 * Stops the server of a home without its guard: SIGINT in order, SIGQUIT at once, which leaves it
 * to the next start to recover. Resolves when it has ended, or after a while.
 */
export async function stopServerOf(home: string, how: 'SIGINT' | 'SIGQUIT') {
  const pidFile = path.join(dataOf(home), 'postmaster.pid');
  const deadline = Date.now() + STOP_PATIENCE_MS;
  try {
    const pid = Number(fs.readFileSync(pidFile, 'utf8').split('\n')[0]);
    process.kill(pid, how);
    // It removes the file as the last thing that it does.
    while (fs.existsSync(pidFile) && Date.now() < deadline) await setTimeout(50);
  } catch {
    // It has ended by itself.
  }
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PlainError } from '../process/errors.ts';
import { childrenOf, pidOf } from '../process/process-table.ts';
import { pause } from '../waiting/backoff.ts';
import { whenLate } from '../waiting/deadline.ts';
import { gist, hasNoRoom, lastWords, launch } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { holderOf, OWNER, stopServerOf } from './holder.ts';

/** A running PostgreSQL server. */
export interface Server {
  port: number;
  pid: number | undefined;
  /** Resolves when the server ends, with the reason if the server gave a reason. */
  ended: Promise<string>;
  /**
   * SIGINT shuts the server down cleanly. SIGQUIT ends the server immediately. A server that does
   * not end in time is killed.
   */
  stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /**
   * Ends the server and its sessions immediately, even a session that does not react to signals.
   */
  kill(): Promise<void>;
}

const START_PATIENCE_MS = 5_000;
const START_AGAIN_MS = 200;
/** The maximum time of a start. After a crash the server first replays its log. */
const READY_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
const KILL_PATIENCE_MS = 1_000;

/**
 * Starts the server on this port of the loopback address, or on a free port. If the server of a
 * killed Rowlock still runs on the same data, we stop that server first.
 */
export async function startServer(
  cluster: Cluster,
  signal: AbortSignal,
  port?: number,
): Promise<Server> {
  const deadline = Date.now() + START_PATIENCE_MS;
  let stranger: number | undefined;
  for (;;) {
    const started = await tryStart(cluster, port ?? (await freePort()), signal, stranger);
    if ('server' in started) return started.server;
    signal.throwIfAborted();
    // These failures may pass by themselves: another process took the port in the meantime, or an
    // earlier server is still stopping.
    const mayPass =
      /could not bind|postmaster\.pid|shared memory block/.test(started.words) &&
      !hasNoRoom(started.words);
    if (!mayPass || Date.now() > deadline) throw new PlainError(explain(cluster, started.words));
    const holder = holderOf(cluster.data);
    if (holder.kind === 'orphan') await stopServerOf(cluster.home, 'SIGINT');
    // The next attempt tells PostgreSQL to ignore the stranger. If a server has started on the data
    // in the meantime, PostgreSQL still refuses to start.
    if (holder.kind === 'stranger') stranger = holder.pid;
    else await pause(START_AGAIN_MS);
  }
}

function explain({ data }: Cluster, words: string): string {
  // A full disk also prevents writing postmaster.pid.
  if (!words.includes('postmaster.pid') || hasNoRoom(words))
    return `PostgreSQL did not start: ${gist(words, data)}`;
  const holder = holderOf(data);
  switch (holder.kind) {
    case 'rowlock': {
      const owner = pidOf(holder.owner);
      return (
        `Another Rowlock, process ${owner}, is running on the data in ${data}. Stop process ` +
        `${owner} first, or give all servers the same DATABASE_URL.`
      );
    }
    case 'orphan':
    case 'foreign':
      return (
        `A PostgreSQL, process ${holder.pid}, is running on the data in ${data}, and no running ` +
        `Rowlock started it. Stop it first: kill -INT ${holder.pid}`
      );
    case 'unknown':
      return (
        `Process ${holder.pid} may be a PostgreSQL that runs on the data in ${data}. If it is, stop ` +
        `process ${holder.pid}. If it is not, remove ${data}/postmaster.pid.`
      );
    default:
      return `PostgreSQL did not start: ${gist(words, data)}`;
  }
}

/** Finds a port that is free at this moment. */
export async function freePort(): Promise<number> {
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
  stranger: number | undefined,
): Promise<{ server: Server } | { words: string }> {
  const owner = `${OWNER}=${cluster.order.owner}`;
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', owner];
  // A temporary database need not survive a power cut.
  if (!cluster.order.durable) settings.push('fsync=off', 'full_page_writes=off');
  const args = [
    '-D',
    cluster.data,
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  // This variable names a process that does not serve the data. PostgreSQL then ignores a
  // postmaster.pid with the id of that process, but still checks the shared memory of the old
  // server. pg_ctl uses the same variable.
  const prefix = stranger === undefined ? [] : ['env', `PG_GRANDPARENT_PID=${stranger}`];
  const child = launch(cluster.native, 'postgres', cluster.account, args, prefix);
  const words = lastWords(child);
  const ended = once(child, 'close').then(() => gist(words(), cluster.data));
  const ready = new Promise<boolean>((resolve) => {
    child.stderr?.on('data', () => {
      // A standby says "ready to accept read-only connections".
      if (/ready to accept (read-only )?connections/.test(words())) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  const giveUp = () => void child.kill('SIGQUIT');
  signal.addEventListener('abort', giveUp);
  const isReady = await whenLate(ready, READY_PATIENCE_MS, giveUp);
  signal.removeEventListener('abort', giveUp);
  if (!isReady) return { words: words() };
  const stop = (how: NodeJS.Signals) => stopServer(child, how);
  const kill = () => killServer(child, ended);
  return { server: { port, pid: child.pid, ended, stop, kill } };
}

async function stopServer(child: ChildProcess, how: NodeJS.Signals) {
  for (const name of new Set<NodeJS.Signals>([how, 'SIGQUIT', 'SIGKILL'])) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close', { signal: AbortSignal.timeout(STOP_PATIENCE_MS) });
    child.kill(name);
    await closed.catch(() => undefined);
  }
}

/**
 * Kills the server. After SIGQUIT, the postmaster starts no more sessions, and frees its shared
 * memory at its end. But the postmaster gives each session five seconds to end, so we kill the
 * sessions.
 */
async function killServer(child: ChildProcess, ended: Promise<unknown>) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGQUIT');
  for (const pid of childrenOf(child.pid)) end(pid);
  await whenLate(ended, KILL_PATIENCE_MS, () => void child.kill('SIGKILL'));
}

function end(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}

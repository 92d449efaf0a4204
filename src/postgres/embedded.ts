import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { PlainError } from '../process/errors.ts';
import { markOf } from '../process/process-table.ts';
import { inProject } from '../process/project.ts';
import { whenLate } from '../waiting/deadline.ts';
import { SUPERUSER } from './cluster.ts';
import { stopServerOf } from './holder.ts';
import type { GuardOrder, GuardReport, Primary, RestartOrder } from './orders.ts';

export interface EmbeddedPostgres {
  /** The address with its password: for clients, never for a log. */
  url: string;
  /** The directory that holds the data. */
  home: string;
  /** Resolves with the reason if the server ends without being asked to. */
  failed: Promise<string>;
  /**
   * Stops the server at once, as a crash would, and starts it again on the same data and port. With
   * another server given, it stops in order, and comes back as the standby of that server.
   */
  restart(standbyOf?: Primary): Promise<void>;
  /** Resolves when the server has ended and a throw-away directory is gone. */
  stop(): Promise<void>;
}

/** The guard is always the compiled one: it starts in half the time, and needs no tsx. */
const GUARD = inProject('dist/guard.js');

/** A guard that only prepares ends at once when its parent is gone, unless it hangs. */
const GUARD_PATIENCE_MS = 5_000;

/**
 * Starts a real PostgreSQL from the installed binaries, on a free loopback port. The data is kept in
 * `keepIn`, or thrown away at the end when that is undefined. A throw-away server does not wait for
 * the disk at each commit, unless it is asked to be `durable`, as servers in production are. With
 * `standbyOf` it is the standby of that server, and begins with a copy of its data.
 *
 * It ends with this process, however that ends; see `guard.ts`. Throws the reason of `stop` when that
 * is aborted before the server is ready.
 */
export async function startEmbedded(
  keepIn?: string,
  stop = new AbortController().signal,
  { durable = keepIn !== undefined, standbyOf }: { durable?: boolean; standbyOf?: Primary } = {},
): Promise<EmbeddedPostgres> {
  stop.throwIfAborted();
  if (!existsSync(GUARD)) throw new PlainError(`There is no ${GUARD}. Run npm run build.`);
  const guard = fork(GUARD, {
    detached: true,
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exit = once(guard, 'exit');
  const died = exit.then(() => 'its guard ended');
  const owner = markOf(process.pid);
  const order: GuardOrder = { owner, keepIn, durable, standbyOf };
  guard.send(order);

  let abort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
  });
  stop.addEventListener('abort', abort);
  const first = await Promise.race([nextReport(guard), died, aborted]);
  stop.removeEventListener('abort', abort);
  if (first === undefined) {
    await dismiss(guard, exit);
    throw stop.reason;
  }
  if (typeof first === 'string') throw new PlainError(`No embedded PostgreSQL: ${first}`);
  const { port, password, home } = first;
  guard.unref();
  guard.channel?.unref();
  const over = exit.then(async ([code]) => {
    if (code === 0) return;
    await stopServerOf(home, keepIn === undefined ? 'SIGQUIT' : 'SIGINT', owner);
    if (keepIn === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
    home,
    failed: Promise.race([failure(guard), died]),
    async restart(other) {
      guard.channel?.ref();
      // Without a guard nobody hears this, and the race below tells.
      guard.send({ standbyOf: other } satisfies RestartOrder, () => undefined);
      const again = await Promise.race([nextReport(guard), died]);
      guard.channel?.unref();
      if (typeof again === 'string') throw new PlainError(`No embedded PostgreSQL: ${again}`);
    },
    async stop() {
      if (guard.connected) guard.disconnect();
      guard.ref();
      await over;
    },
  };
}

async function dismiss(guard: ChildProcess, exit: Promise<unknown>) {
  if (guard.connected) guard.disconnect();
  await whenLate(exit, GUARD_PATIENCE_MS, () => void guard.kill('SIGKILL'));
}

/** The next thing that the guard says: that the server is ready, or why it is not. */
async function nextReport(guard: ChildProcess) {
  const [report] = (await once(guard, 'message')) as [GuardReport];
  return report.kind === 'ready' ? report : report.message;
}

const failure = (guard: ChildProcess) =>
  new Promise<string>((resolve) => {
    guard.on('message', (report: GuardReport) => {
      if (report.kind === 'failed') resolve(report.message);
    });
  });

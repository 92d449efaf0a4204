import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { PlainError } from '../process/errors.ts';
import { markOf } from '../process/process-table.ts';
import { inProject } from '../process/project.ts';
import { whenLate } from '../waiting/deadline.ts';
import { urlOf } from './cluster.ts';
import type { LendOrder } from './copies/orders.ts';
import { stopServerOf } from './holder.ts';
import { removeHome } from './leftovers.ts';
import type { GuardOrder, GuardReport, Primary, RestartOrder } from './orders.ts';

export interface EmbeddedPostgres {
  /** The address with the password. Clients need this address, but no log may contain it. */
  url: string;
  /** The directory that holds the data. */
  home: string;
  /** Resolves with the reason if the server ends by itself. */
  failed: Promise<string>;
  /**
   * Crashes the server, and starts it again on the same data and port. If `standbyOf` is given,
   * shuts the server down cleanly instead, and starts it again as a standby of `standbyOf`.
   */
  restart(standbyOf?: Primary): Promise<void>;
  /** Stops the server. Removes the data too, unless `keepIn` was given. */
  stop(): Promise<void>;
}

/**
 * The program of the guard. We always run the compiled code, which starts in half the time and
 * needs no tsx.
 */
const GUARD = inProject('dist/guard.js');

/**
 * The maximum wait for the end of a guard that must end before its server is ready. After this
 * time, we kill the guard.
 */
const GUARD_PATIENCE_MS = 5_000;

/**
 * Starts a real PostgreSQL from the installed binaries, on a free loopback port. `keepIn` is the
 * directory of the data. Without `keepIn`, the data is removed at the end, and commits do not wait
 * for the disk unless `durable` is set. If `standbyOf` names a server, the new server begins with a
 * copy of this server's data, and is its standby.
 *
 * The server ends when this process ends, even after SIGKILL (see `guard.ts`). If `stop` is aborted
 * before the server is ready, this function throws the reason of `stop`.
 */
export async function startEmbedded(
  keepIn?: string,
  stop: AbortSignal = new AbortController().signal,
  { durable = keepIn !== undefined, standbyOf }: { durable?: boolean; standbyOf?: Primary } = {},
): Promise<EmbeddedPostgres> {
  stop.throwIfAborted();
  const owner = markOf(process.pid);
  const order: GuardOrder = { kind: 'guard', owner, keepIn, durable, standbyOf };
  const { guard, exit } = startGuard(order);
  const died = exit.then(() => 'the process that guards PostgreSQL ended');

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
  const over = exit.then(async (code) => {
    if (code === 0) return;
    if (keepIn === undefined) await removeHome(home, owner);
    else await stopServerOf(home, 'SIGINT', owner);
  });
  return {
    url: urlOf({ password }, port),
    home,
    failed: Promise.race([failure(guard), died]),
    async restart(other) {
      guard.channel?.ref();
      // If the guard has ended, the message cannot be sent. The race below then reports the end of
      // the guard.
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

/**
 * Starts a guard with its first order. `exit` resolves with the exit code of the guard, or with
 * null if the guard was killed or could not be started.
 */
export function startGuard(order: GuardOrder | LendOrder) {
  if (!existsSync(GUARD)) throw new PlainError(`There is no ${GUARD}. Run npm run build.`);
  const guard = fork(GUARD, {
    detached: true,
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exit = new Promise<number | null>((resolve) => {
    guard.once('exit', resolve);
    guard.on('error', () => resolve(null));
  });
  // If the process could not start, there is no channel.
  if (guard.connected) guard.send(order, () => undefined);
  return { guard, exit };
}

async function dismiss(guard: ChildProcess, exit: Promise<unknown>) {
  if (guard.connected) guard.disconnect();
  await whenLate(exit, GUARD_PATIENCE_MS, () => void guard.kill('SIGKILL'));
}

/**
 * Waits for the guard's next report. Returns the report if the server is ready, and otherwise the
 * reason of the failure.
 */
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

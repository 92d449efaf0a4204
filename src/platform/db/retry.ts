import { unlessStopped } from '../process/main.ts';
import { type Backoff, pause, pauseAfter } from '../waiting/backoff.ts';
import { databaseError, isNothingDone, SQLSTATE } from './sqlstate.ts';

const TRIES = 4;
const BACKOFF: Backoff = { shortestMs: 20, longestMs: 60, jitter: 1 };
/**
 * The maximum wait of a start for a busy database. We do not end the process earlier, because a
 * supervisor would only start the process again.
 */
const START_PATIENCE_MS = 10_000;
const START_BACKOFF: Backoff = { shortestMs: 100, longestMs: 1_000, jitter: 0.5 };

const conflicts: ReadonlySet<string> = new Set([
  SQLSTATE.deadlockDetected,
  SQLSTATE.serializationFailure,
]);

/**
 * Repeats a transaction that the database aborted because of a conflict with another transaction.
 * Tries at most four times. Waits a random time before each repeat, because two transactions that
 * start again together would collide again.
 */
export async function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (tries === TRIES || !conflicts.has(databaseError(error)?.code ?? '')) throw error;
      await pause(pauseAfter(tries - 1, BACKOFF));
    }
  }
}

/**
 * The options of a process that waits for its database at its start. The defaults are for a busy
 * database.
 */
export interface StartWait {
  stop?: AbortSignal | undefined;
  patienceMs?: number;
  /** Returns whether we may repeat the step after this error. */
  mayRepeat?(error: unknown): boolean;
  /** Called before the first pause. */
  onWait?(error: unknown): void;
}

/**
 * Repeats a step of a start until the database has done the step. No client waits for a start, so a
 * start may wait longer for a connection than a request. Throws the reason of `stop` as soon as
 * `stop` is aborted, also in the middle of a step.
 */
export async function retryAtStart<T>(
  step: () => Promise<T>,
  {
    stop = new AbortController().signal,
    patienceMs = START_PATIENCE_MS,
    mayRepeat = isNothingDone,
    onWait,
  }: StartWait = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let failures = 0; ; failures++) {
    try {
      stop.throwIfAborted();
      return await unlessStopped(stop, step());
    } catch (error) {
      if (!mayRepeat(error) || performance.now() > deadline) throw error;
      if (failures === 0) onWait?.(error);
      await pause(pauseAfter(failures, START_BACKOFF), stop);
    }
  }
}

import { type Backoff, pause, pauseAfter } from '../waiting/backoff.ts';
import { databaseError, SQLSTATE } from './sqlstate.ts';

const TRIES = 4;
const BACKOFF: Backoff = { shortestMs: 20, longestMs: 60, jitter: 1 };

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

import { setTimeout } from 'node:timers/promises';
import { databaseError, SQLSTATE } from './sqlstate.ts';

const TRIES = 4;
const LONGEST_PAUSE_MS = 20;

const conflicts: ReadonlySet<string> = new Set([
  SQLSTATE.deadlockDetected,
  SQLSTATE.serializationFailure,
]);

/**
 * Runs a transaction anew when the database gave it up for the sake of another, a bounded number
 * of times, after a random pause: two that start again together would collide again.
 */
export async function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (tries === TRIES || !conflicts.has(databaseError(error)?.code ?? '')) throw error;
      await setTimeout(Math.random() * LONGEST_PAUSE_MS * tries);
    }
  }
}

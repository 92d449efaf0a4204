import type { Execution } from '../../explorer/execution.ts';
import { databaseError, SQLSTATE } from '../../platform/db/sqlstate.ts';

/**
 * Sessions that waited for one another in a circle. PostgreSQL ended the wait of `victim` with an
 * error.
 */
export interface Deadlock {
  /** The step, from 1, at which PostgreSQL found the deadlock. */
  step: number;
  /**
   * Each session waited for the next session in this list. The last session waited for the first
   * session.
   */
  cycle: number[];
  victim: number;
}

/**
 * Returns the last deadlock of a schedule, as PostgreSQL reported it. Returns null if there was no
 * deadlock.
 */
export function findDeadlock({ entries, pids }: Execution): Deadlock | null {
  for (const [index, { acts }] of [...entries.entries()].reverse()) {
    for (const { session, result } of acts) {
      if (!result || !('error' in result)) continue;
      if (databaseError(result.error)?.code !== SQLSTATE.deadlockDetected) continue;
      return { step: index + 1, cycle: cycleOf(result.error, pids), victim: session };
    }
  }
  return null;
}

/**
 * Returns the numbers of the sessions in the circle. The error's detail has a line for each
 * session: `Process 7 waits for …; blocked by process 8.`
 */
function cycleOf(error: unknown, pids: number[]): number[] {
  const { detail = '' } = error as { detail?: string };
  const waiting = [...detail.matchAll(/^Process (\d+) waits for .* blocked by process \d+\.$/gm)];
  return waiting.map(([, pid]) => pids.indexOf(Number(pid)) + 1);
}

import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../db/arrays.ts';
import { tasks } from './tables.ts';

/** The attempt that holds a task, or held the task. */
export interface Hold {
  id: bigint;
  attempt: number;
}

/** The holds as rows `hold (id, attempt)`. */
export const rowsOf = (holds: readonly Hold[]): SQL => sql`
  unnest(${arrayOf(holds.map(({ id }) => id))}::bigint[],
    ${`{${holds.map(({ attempt }) => attempt).join(',')}}`}::int[]) as hold (id, attempt)`;

/**
 * THE FENCE: true if this attempt still holds the task. Each claim counts the attempt, so a later
 * attempt has another number. A task that was given back, cancelled or finished has no lease. The
 * name of the worker would prove nothing, because the same worker may have claimed the task again.
 */
export const stillHolds = sql`${tasks.id} = hold.id and ${tasks.attempt} = hold.attempt
  and ${tasks.leaseUntil} is not null and ${tasks.finishedAt} is null`;

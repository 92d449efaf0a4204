import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../db/arrays.ts';
import { NOW } from '../db/clock.ts';
import { LEASE_MS } from './limits.ts';
import { tasks } from './tables.ts';

/** The end of a lease that begins now. */
export const LEASE_END = sql`${NOW} + make_interval(secs => ${LEASE_MS / 1_000})`;

/** The attempt that holds a task, or held the task. */
export interface Hold {
  id: bigint;
  attempt: number;
}

/** The holds as a table `hold`, for a WITH clause. */
export const holdRows = (holds: readonly Hold[]): SQL => sql`
  hold as (select * from unnest(${arrayOf(holds.map(({ id }) => id))}::bigint[],
    ${arrayOf(holds.map(({ attempt }) => attempt))}::int[]) as hold (id, attempt))`;

/**
 * THE FENCE: true if this attempt still holds the task. Each claim counts the attempt, so a later
 * attempt has another number. A task that was given back, cancelled or finished has no lease. The
 * name of the worker would prove nothing, because the same worker may have claimed the task again.
 */
export const stillHolds = sql`${tasks.id} = hold.id and ${tasks.attempt} = hold.attempt
  and ${tasks.leaseUntil} is not null and ${tasks.finishedAt} is null`;

/**
 * Finds the tasks of the table `hold` by the primary key. PostgreSQL expects few ids in an array, so
 * it uses the index. When we joined the tables, PostgreSQL read all unfinished tasks for 500 ids.
 */
export const ofHolds = sql`${tasks.id} = any(array(select id from hold))`;

import { type SQL, sql } from 'drizzle-orm';
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

/**
 * The holds as a table `held` of one row, for a WITH clause. Its column `by_task` maps the id of each
 * task to its hold. The function `byTask` makes the value of the placeholder.
 *
 * A table with a row for each hold was slow. PostgreSQL keeps one plan for any number of holds. The
 * plan compared each hold with each task, and 500 outcomes took 13 ms instead of 4 ms.
 */
export const HELD = sql`held as (select ${sql.placeholder('byTask')}::text::jsonb as by_task)`;

export const byTask = (holds: readonly Hold[]): { byTask: string } => ({
  byTask: JSON.stringify(Object.fromEntries(holds.map(({ id, ...rest }) => [String(id), rest]))),
});

/** A field of the hold of the task, as text. Null if the hold has no such field. */
export const fieldOfHold = (name: string): SQL =>
  sql`((select by_task from held) -> ${tasks.id}::text ->> ${sql.raw(`'${name}'`)})`;

/**
 * THE FENCE: true if this attempt still holds the task. Each claim counts the attempt, so a later
 * attempt has another number. A task that was given back, cancelled or finished has no lease. The
 * name of the worker would prove nothing, because the same worker may have claimed the task again.
 */
export const stillHeld = sql`
  ${tasks.id} = any(array(select jsonb_object_keys(by_task)::bigint from held))
  and ${tasks.attempt} = ${fieldOfHold('attempt')}::int and ${tasks.leaseUntil} is not null`;

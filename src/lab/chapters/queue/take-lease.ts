import { and, eq, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../platform/db/client.ts';
import type { Worker } from './strategy.ts';
import { tasks } from './tables.ts';

/** The SQL for the number of the next attempt. */
export const nextAttempt = sql`attempt + 1`;
const isFree = or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`));
/** The SQL for the end of a lease that begins now. */
export const leaseEnd = sql`now() + interval '1 minute'`;

/**
 * Takes a lease of one minute on a task that nobody holds. After the minute, another worker may
 * take the lease. By default each lease counts as an attempt. Returns undefined if there is no task
 * to take.
 */
export async function takeLease(
  db: Database,
  { name }: Worker,
  count: { attempt?: SQL } = { attempt: nextAttempt },
) {
  const free = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(ne(tasks.status, 'done'), isFree))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({ worker: name, leaseUntil: leaseEnd, ...count })
    .where(eq(tasks.id, free))
    .returning({ id: tasks.id, attempt: tasks.attempt });
  return task;
}

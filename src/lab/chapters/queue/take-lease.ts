import { and, eq, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import type { Worker } from './strategy.ts';
import { tasks } from './tables.ts';

/** One more attempt than before. */
export const nextAttempt = sql`attempt + 1`;
const isFree = or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`));
/** The end of a lease that begins now. */
export const leaseEnd = sql`now() + interval '1 minute'`;

/**
 * Leases a task that nobody holds, for a minute. After the minute, another worker may lease the task.
 * Each lease counts as an attempt. Undefined if there is no such task.
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

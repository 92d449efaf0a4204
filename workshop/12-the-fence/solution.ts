import { and, eq, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const isFree = or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`));

/** A worker takes a lease on a task, and finishes the task if no later attempt has begun. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const due = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(ne(tasks.status, 'done'), isFree))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({
      status: 'running',
      worker: worker.name,
      leaseUntil: sql`now() + interval '1 minute'`,
      attempt: sql`attempt + 1`,
    })
    .where(eq(tasks.id, due))
    .returning({ id: tasks.id, attempt: tasks.attempt });
  if (!task) return { kind: 'idle' };

  await worker.send(task.id);
  const finished = await db
    .update(tasks)
    .set({ status: 'done', leaseUntil: null })
    .where(and(eq(tasks.id, task.id), eq(tasks.attempt, task.attempt)))
    .returning({ id: tasks.id });
  return { kind: finished.length > 0 ? 'done' : 'lost' };
}

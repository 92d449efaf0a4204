import { and, eq, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: finishes while any lease on the task runs, even the lease of another worker. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const free = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(
      and(ne(tasks.status, 'done'), or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`))),
    )
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({ worker: worker.name, leaseUntil: sql`now() + interval '1 minute'` })
    .where(eq(tasks.id, free))
    .returning({ id: tasks.id });
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const done = await db
    .update(tasks)
    .set({ status: 'done' })
    .where(and(eq(tasks.id, task.id), sql`${tasks.leaseUntil} > now()`))
    .returning({ id: tasks.id });
  return { kind: done.length > 0 ? 'done' : 'lost' };
};

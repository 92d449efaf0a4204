import { and, eq, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: each process uses its own clock, and the clocks of two computers differ. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const now = new Date();
  const free = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(ne(tasks.status, 'done'), or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, now))))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({
      worker: worker.name,
      attempt: sql`attempt + 1`,
      leaseUntil: new Date(now.getTime() + 60_000),
    })
    .where(eq(tasks.id, free))
    .returning({ id: tasks.id, attempt: tasks.attempt });
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const done = await db
    .update(tasks)
    .set({ status: 'done' })
    .where(and(eq(tasks.id, task.id), eq(tasks.attempt, task.attempt)))
    .returning({ id: tasks.id });
  return { kind: done.length > 0 ? 'done' : 'lost' };
};

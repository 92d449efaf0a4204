import { and, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: a dead process runs no `finally`. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const due = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(eq(tasks.status, 'due'))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({ status: 'running' })
    .where(eq(tasks.id, due))
    .returning({ id: tasks.id });
  if (!task) return { kind: 'idle' };
  try {
    await worker.send(task.id, { id: task.id });
    await db.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
    return { kind: 'done' };
  } finally {
    await db
      .update(tasks)
      .set({ status: 'due' })
      .where(and(eq(tasks.id, task.id), eq(tasks.status, 'running')));
  }
};

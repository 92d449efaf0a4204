import { asc, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { outbox, tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: it locks the task outside of the transaction, so the lock ends with the SELECT. Two workers
 * find the same task, and both write a mail.
 */
export default async function work(db: Database, _worker: Worker): Promise<Outcome> {
  const [task] = await db
    .select()
    .from(tasks)
    .where(eq(tasks.status, 'due'))
    .orderBy(asc(tasks.id))
    .limit(1)
    .for('update', { skipLocked: true });
  if (!task) return { kind: 'idle' };
  return db.transaction(async (tx) => {
    await tx.insert(outbox).values({ taskId: task.id });
    await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
    return { kind: 'done' };
  });
}

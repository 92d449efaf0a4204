import { asc, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { outbox, tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

/**
 * Wrong: if another worker has locked the first task, it says that there is nothing to do, although
 * other tasks are due.
 */
export default async function work(db: Database, _worker: Worker): Promise<Outcome> {
  try {
    return await db.transaction(async (tx): Promise<Outcome> => {
      const [task] = await tx
        .select()
        .from(tasks)
        .where(eq(tasks.status, 'due'))
        .orderBy(asc(tasks.id))
        .limit(1)
        .for('update', { noWait: true });
      if (!task) return { kind: 'idle' };
      await tx.insert(outbox).values({ taskId: task.id });
      await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
      return { kind: 'done' };
    });
  } catch (error) {
    if (databaseError(error)?.code === SQLSTATE.lockNotAvailable) return { kind: 'idle' };
    throw error;
  }
}

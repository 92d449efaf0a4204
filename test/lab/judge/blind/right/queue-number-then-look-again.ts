import { and, asc, eq, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { outbox, tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Right: it waits for the lock of the task's number, and then reads the task again. If the task is no
 * longer due, it looks for another task. Mail and end of the task are one transaction.
 */
export default async function work(db: Database, _worker: Worker): Promise<Outcome> {
  for (;;) {
    const [seen] = await db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(asc(tasks.id))
      .limit(1);
    if (!seen) return { kind: 'idle' };
    const isDone = await db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${seen.id}::bigint)`);
      const [task] = await tx
        .select({ id: tasks.id })
        .from(tasks)
        .where(and(eq(tasks.id, seen.id), eq(tasks.status, 'due')));
      if (!task) return false;
      await tx.insert(outbox).values({ taskId: task.id });
      await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
      return true;
    });
    if (isDone) return { kind: 'done' };
  }
}

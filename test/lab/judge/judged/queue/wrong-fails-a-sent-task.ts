import { eq } from 'drizzle-orm';
import { lockDue } from 'rowlock/lab/chapters/queue/lock-due.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: sends the mail, and writes that the task has failed. */
export default (db: Database, worker: Worker): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const task = await lockDue(tx);
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    await tx.update(tasks).set({ status: 'failed' }).where(eq(tasks.id, task.id));
    return { kind: 'done' };
  });

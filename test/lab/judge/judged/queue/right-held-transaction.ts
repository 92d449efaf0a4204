import { eq } from 'drizzle-orm';
import type { QueueStrategy } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';

/** Right: a death before the commit repeats the mail, and the receiver drops the repeat. */
const strategy: QueueStrategy = {
  name: 'held-with-id',
  idea: 'hold the row lock while sending; the receiver drops repeats',
  promise: 'once',
  work: (db, worker) =>
    db.transaction(async (tx) => {
      const [task] = await tx
        .select()
        .from(tasks)
        .where(eq(tasks.status, 'due'))
        .limit(1)
        .for('update', { skipLocked: true });
      if (!task) return { kind: 'idle' };
      await worker.send(task.id, { id: task.id });
      await tx.delete(tasks).where(eq(tasks.id, task.id));
      return { kind: 'done' };
    }),
};
export default strategy;

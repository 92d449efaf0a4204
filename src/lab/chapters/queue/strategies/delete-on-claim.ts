import { eq } from 'drizzle-orm';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * Deletes the task, and then does it. Nobody can do the task again, so each task is done at most
 * once. But if a worker dies, its task is lost.
 * Counterexample (alone): S1 deletes task 1 and dies. Nobody knows of the task any more.
 */
export const deleteOnClaim: QueueStrategy = {
  name: 'delete-on-claim',
  idea: 'delete the task, then work: at most once',
  promise: 'nothing',
  async work(db, worker) {
    const due = db
      .select({ id: tasks.id })
      .from(tasks)
      .orderBy(tasks.id)
      .limit(1)
      .for('update', { skipLocked: true });
    const [task] = await db.delete(tasks).where(eq(tasks.id, due)).returning({ id: tasks.id });
    if (!task) return { kind: 'idle' };
    // THE GAP: if the worker dies here, the task is gone.
    await worker.send(task.id);
    return { kind: 'done' };
  },
};

import { eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * Reads a task that is due, and then marks it. Two workers may read the same task before one of
 * them marks it.
 * Counterexample (calm): S1 reads task 1. S2 reads task 1. Both mark the task. Both send.
 */
export const selectThenUpdate: QueueStrategy = {
  name: 'select-then-update',
  idea: 'read a due task, then mark it',
  promise: 'nothing',
  async work(db, worker) {
    const [task] = await db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(tasks.id)
      .limit(1);
    if (!task) return { kind: 'idle' };
    // THE GAP: another worker may have read the same task.
    await db
      .update(tasks)
      .set({ status: 'running', worker: worker.name })
      .where(eq(tasks.id, task.id));
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

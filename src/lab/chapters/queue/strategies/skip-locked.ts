import { eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * The subselect skips tasks that other workers have locked. No two workers mark the same task, and
 * nobody waits. But a worker that dies after the mark leaves its task marked for ever.
 * Counterexample (alone): S1 marks task 1 and dies. Nobody takes the task any more.
 */
export const skipLocked: QueueStrategy = {
  name: 'skip-locked',
  idea: 'find, lock and mark a due task, and skip locked tasks',
  promise: 'nothing',
  async work(db, worker) {
    const due = db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(tasks.id)
      .limit(1)
      // THE LOCK: other workers skip the task until we have marked it.
      .for('update', { skipLocked: true });
    const [task] = await db
      .update(tasks)
      .set({ status: 'running', worker: worker.name })
      .where(eq(tasks.id, due))
      .returning({ id: tasks.id });
    if (!task) return { kind: 'idle' };
    // THE GAP: if the worker dies here, the task stays marked.
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

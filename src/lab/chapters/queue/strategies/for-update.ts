import { eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * The subselect locks the task that it finds. After a wait for this lock, PostgreSQL checks the
 * newest version of the row. But all workers wait for the first due task, and a worker that dies
 * leaves its task marked for ever.
 * Counterexample (alone): S1 marks task 1 and dies. Nobody takes the task any more.
 */
export const forUpdate: QueueStrategy = {
  name: 'for-update',
  idea: 'find, lock and mark a due task in one statement',
  promise: 'nothing',
  async work(db, worker) {
    const due = db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(tasks.id)
      .limit(1)
      // THE LOCK: other workers wait here until we have marked the task.
      .for('update');
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

import { and, eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * Reads a due task, and then marks the task if it is still due. PostgreSQL checks the condition
 * again after a wait, so no two workers mark the same task. But a worker that dies after the mark
 * leaves its task marked for ever.
 * Counterexample (alone): S1 marks task 1 and dies. Nobody takes the task any more.
 */
export const compareAndSet: QueueStrategy = {
  name: 'compare-and-set',
  idea: 'read a due task, then mark it if it is still due',
  promise: 'nothing',
  async work(db, worker) {
    const [task] = await db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(tasks.id)
      .limit(1);
    if (!task) return { kind: 'idle' };
    const marked = await db
      .update(tasks)
      .set({ status: 'running', worker: worker.name })
      // THE LOCK: only one worker finds the task still due.
      .where(and(eq(tasks.id, task.id), eq(tasks.status, 'due')))
      .returning({ id: tasks.id });
    if (marked.length === 0) return { kind: 'lost' };
    // THE GAP: if the worker dies here, the task stays marked.
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

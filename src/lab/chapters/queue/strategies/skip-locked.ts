import { eq } from 'drizzle-orm';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { finish } from './finish.ts';

/**
 * Marks a task under its row lock, and works after the commit. No two workers mark the same task,
 * and nobody waits. But a worker that dies after the commit leaves its task marked for ever.
 * Witness: S1 marks the task and dies, nobody takes the task any more.
 */
export const skipLocked: QueueStrategy = {
  name: 'skip-locked',
  idea: 'mark a task that nobody has locked, then work',
  promise: 'nothing',
  async work(db, worker) {
    const task = await db.transaction(async (tx) => {
      const [due] = await tx
        .select({ id: tasks.id })
        .from(tasks)
        .where(eq(tasks.status, 'due'))
        .orderBy(tasks.id)
        .limit(1)
        .for('update', { skipLocked: true });
      if (due) await tx.update(tasks).set({ status: 'running' }).where(eq(tasks.id, due.id));
      return due;
    });
    if (!task) return { kind: 'idle' };
    // THE GAP: if the worker dies here, the task stays marked.
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

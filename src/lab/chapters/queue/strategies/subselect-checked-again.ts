import { and, eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * The update checks the status again, outside the subselect. After a wait PostgreSQL checks this
 * condition on the newest row. So no two workers mark the same task. But the worker that waited
 * does not look for another task.
 * Counterexample (two-tasks): S1 marks task 1. S2 finds task 1 and waits. S1 commits. S2 is told
 * that there is nothing to do, though task 2 is due.
 */
export const subselectCheckedAgain: QueueStrategy = {
  name: 'subselect-checked-again',
  idea: 'ask for the status again, outside the subselect',
  promise: 'nothing',
  async work(db, worker) {
    const due = db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.status, 'due'))
      .orderBy(tasks.id)
      .limit(1);
    const [task] = await db
      .update(tasks)
      .set({ status: 'running', worker: worker.name })
      // THE GAP: if task 1 is no longer due, nothing looks for task 2.
      .where(and(eq(tasks.id, due), eq(tasks.status, 'due')))
      .returning({ id: tasks.id });
    if (!task) return { kind: 'idle' };
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

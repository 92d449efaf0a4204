import { eq } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * One statement finds a due task and marks it. But the subselect runs once, before the update waits
 * for the row. After the wait, PostgreSQL checks only the id again, and the id still fits.
 * Counterexample (calm): S1 marks task 1 and has not committed. S2 finds task 1 and waits. S1
 * commits. S2 marks task 1 too. Both send.
 */
export const updateSubselect: QueueStrategy = {
  name: 'update-subselect',
  idea: 'find and mark a due task in one statement',
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
      // THE GAP: the answer of the subselect is older than our wait for the row.
      .where(eq(tasks.id, due))
      .returning({ id: tasks.id });
    if (!task) return { kind: 'idle' };
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

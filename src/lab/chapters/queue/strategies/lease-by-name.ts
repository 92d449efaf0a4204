import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * Only the worker whose name is in the row of the task may finish the task. This is right as long
 * as no two workers have the same name. But a worker that starts again has its old name, and two
 * copies of a container may have the same name.
 * Counterexample (namesakes): S1 takes the lease. Time passes. S2 has the same name and takes the
 * lease. Both finish.
 */
export const leaseByName: QueueStrategy = {
  name: 'lease-by-name',
  idea: 'a lease by name: only the worker whose name is at the task may finish',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    // THE GAP: two workers may have this name.
    const isWritten = await finishIf(db, task.id, eq(tasks.worker, worker.name));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

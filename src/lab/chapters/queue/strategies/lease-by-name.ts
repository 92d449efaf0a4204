import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * Only the worker whose name is at the task may finish it. This holds while no two workers have the
 * same name. A worker that starts again has its old name, and two copies of a container may share
 * theirs.
 * Witness (namesakes): S1 takes the lease, time passes, S2 with the same name takes the lease, both
 * finish.
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
    // THE GAP: the name may be the name of two workers.
    const isWritten = await finishIf(db, task.id, eq(tasks.worker, worker.name));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { takeLease } from '../take-lease.ts';

/**
 * The mark ends by itself after a minute, so another worker does the task of a dead worker. But a
 * slow worker does not notice that its lease has ended.
 * Counterexample (slow): S1 takes the lease. Time passes. S2 takes the lease. Both send and both
 * finish.
 */
export const lease: QueueStrategy = {
  name: 'lease',
  idea: 'a mark that ends by itself: a slow worker goes on regardless',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    // THE LEASE: for a minute, no other worker takes the task.
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    // THE GAP: after the minute, another worker does the task too.
    await worker.send(task.id);
    await finish(db, task.id);
    return { kind: 'done' };
  },
};

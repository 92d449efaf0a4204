import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { outbox, tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * Long work happens under a lease, without an open transaction. Its result and the mail are written
 * together, and only by the newest attempt. So nobody has to drop repeats.
 */
export const leaseAndOutbox: QueueStrategy = {
  name: 'lease-and-outbox',
  idea: 'a lease for long work, then outcome and mail in one transaction',
  promise: 'once',
  timed: true,
  async work(db, worker) {
    // THE LEASE: for a minute, no other worker takes the task.
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    return db.transaction(async (tx) => {
      // THE FENCE: a later attempt has a higher number. Our lock on the row lasts until the commit.
      if (!(await finishIf(tx, task.id, eq(tasks.attempt, task.attempt)))) return { kind: 'lost' };
      await tx.insert(outbox).values({ taskId: task.id });
      return { kind: 'done' };
    });
  },
};

import { and, eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { leaseEnd, takeLease } from '../take-lease.ts';

/**
 * Renews the lease right before the mail, and does not send if the lease is gone. The dangerous
 * time is shorter, but remains: the worker may be slow between the renewal and the mail.
 * Counterexample (slow): S1 takes and renews the lease. Time passes. S2 takes and renews the lease.
 * Both send.
 */
export const renewedLease: QueueStrategy = {
  name: 'renewed-lease',
  idea: 'a lease that is renewed right before the work',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    const mine = eq(tasks.attempt, task.attempt);
    const renewed = await db
      .update(tasks)
      .set({ leaseUntil: leaseEnd })
      .where(and(eq(tasks.id, task.id), mine))
      .returning({ id: tasks.id });
    if (renewed.length === 0) return { kind: 'lost' };
    // THE GAP: the renewed lease may end before the mail is sent.
    await worker.send(task.id);
    return { kind: (await finishIf(db, task.id, mine)) ? 'done' : 'lost' };
  },
};

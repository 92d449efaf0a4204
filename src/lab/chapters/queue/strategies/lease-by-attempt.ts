import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * Each lease has a higher attempt number, and only the newest attempt may finish the task. So no
 * outcome overwrites another outcome. But the fence is in the database, and does not stop the mail.
 * Counterexample (slow): S1 takes the lease. Time passes. S2 takes the lease. Both send. Only S2
 * finishes.
 */
export const leaseByAttempt: QueueStrategy = {
  name: 'lease-by-attempt',
  idea: 'a lease, and only the newest attempt may finish',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    // THE GAP: nothing stops the mail of an older attempt.
    await worker.send(task.id);
    // THE FENCE: writes nothing if a later attempt has begun.
    const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import { lockDue } from '../lock-due.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { nextAttempt, takeLease } from '../take-lease.ts';

/**
 * Counts the attempt at its beginning, and commits the count before the work. So the attempts of a
 * task that kills each worker are counted too. After some attempts, a worker can give up the task.
 */
export const attemptsAtClaim: QueueStrategy = {
  name: 'attempts-at-claim',
  file: 'attempts',
  idea: 'count the attempt when it begins',
  promise: 'once',
  timed: true,
  counts: true,
  async work(db, worker) {
    // THE COUNT: committed before the work.
    const task = await takeLease(db, worker, { attempt: nextAttempt });
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

/**
 * Counts the attempt at its end. An attempt that kills its worker has no end, so nobody counts the
 * attempt. Workers try such a task for ever.
 * Counterexample (killer): S1 takes the task and dies of it. The next worker dies too. No attempt
 * is counted.
 */
export const attemptsAfterWork: QueueStrategy = {
  name: 'attempts-after-work',
  file: 'attempts',
  idea: 'count the attempt when it ends',
  promise: 'nothing',
  timed: true,
  counts: true,
  async work(db, worker) {
    const task = await takeLease(db, worker, {});
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    const mine = eq(tasks.worker, worker.name);
    // THE GAP: a dead worker counts nothing.
    const isWritten = await finishIf(db, task.id, mine, { attempt: nextAttempt });
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

/**
 * Counts the attempt at its beginning, but in the transaction that is open during the work. The
 * rollback after a death takes the count back.
 * Counterexample (killer): S1 counts and dies of the task. The count is rolled back. No attempt is
 * counted.
 */
export const attemptsInTransaction: QueueStrategy = {
  name: 'attempts-in-transaction',
  file: 'attempts',
  idea: 'count the attempt in the transaction that is open during the work',
  promise: 'nothing',
  counts: true,
  work: (db, worker) =>
    db.transaction(async (tx) => {
      const task = await lockDue(tx);
      if (!task) return { kind: 'idle' };
      // THE GAP: the count is not committed before the work.
      await tx.update(tasks).set({ attempt: nextAttempt }).where(eq(tasks.id, task.id));
      await worker.send(task.id, { id: task.id });
      await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
      return { kind: 'done' };
    }),
};

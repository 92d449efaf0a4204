import { finish } from '../finish.ts';
import { lockDue } from '../lock-due.ts';
import type { QueueStrategy } from '../strategy.ts';

/**
 * Keeps the transaction open while it works. If the worker dies, PostgreSQL rolls back, and the
 * task is immediately due again. But no rollback takes the mail back.
 * Counterexample (alone): S1 sends and dies. Its transaction is rolled back. The next worker sends
 * again.
 */
export const heldTransaction: QueueStrategy = {
  name: 'held-transaction',
  idea: 'keep the row lock while working',
  promise: 'nothing',
  work: (db, worker) =>
    db.transaction(async (tx) => {
      // THE LOCK: other workers skip the task until our transaction ends.
      const task = await lockDue(tx);
      if (!task) return { kind: 'idle' };
      // THE GAP: if the worker dies between here and the commit, nobody knows that it has sent.
      await worker.send(task.id);
      await finish(tx, task.id);
      return { kind: 'done' };
    }),
};

import { finish } from '../finish.ts';
import { lockDue } from '../lock-due.ts';
import type { QueueStrategy } from '../strategy.ts';

/**
 * Keeps the transaction open while it works. If the worker dies, PostgreSQL rolls back, and the task
 * is due again at once. But no rollback takes the mail back.
 * Witness (alone): S1 sends and dies, its transaction is rolled back, the next worker sends again.
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
      // THE GAP: from here until the commit, a death forgets that we have sent.
      await worker.send(task.id);
      await finish(tx, task.id);
      return { kind: 'done' };
    }),
};

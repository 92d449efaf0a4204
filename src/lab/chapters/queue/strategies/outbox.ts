import { finish } from '../finish.ts';
import { lockDue } from '../lock-due.ts';
import type { QueueStrategy } from '../strategy.ts';
import { outbox as mails } from '../tables.ts';

/**
 * The mail is a row, written in the transaction that marks the task as done. So PostgreSQL commits
 * both the mail and the mark, or neither. The program that later sends the rows of the outbox has
 * the same problem again.
 */
export const outbox: QueueStrategy = {
  name: 'outbox',
  idea: 'write the mail into a table, in the same transaction',
  promise: 'once',
  work: (db) =>
    db.transaction(async (tx) => {
      // THE LOCK: other workers skip the task until our transaction ends.
      const task = await lockDue(tx);
      if (!task) return { kind: 'idle' };
      await tx.insert(mails).values({ taskId: task.id });
      await finish(tx, task.id);
      return { kind: 'done' };
    }),
};

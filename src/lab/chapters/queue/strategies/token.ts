import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * The mail carries the number of the attempt. The mail server refuses a mail if it has accepted a
 * mail of a newer attempt. So a slow worker cannot send after its successor. But the successor
 * sends even if the slow worker has sent already.
 * Counterexample (alone): S1 sends with token 1 and dies. The next worker sends with token 2.
 */
export const token: QueueStrategy = {
  name: 'token',
  idea: 'the attempt goes with the mail, and the receiver refuses older attempts',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    // THE GAP: the mail of a newer attempt is accepted, even after the mail of an older attempt.
    await worker.send(task.id, { token: task.attempt });
    const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

import { eq } from 'drizzle-orm';
import { finishIf } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';
import { takeLease } from '../take-lease.ts';

/**
 * The lease brings back the tasks of dead workers, so each task is sent at least once. The mail
 * server drops a repeat by the id of the task, so each mail arrives at most once. The fence keeps
 * the outcome of the newest attempt.
 */
export const dropRepeats: QueueStrategy = {
  name: 'drop-repeats',
  idea: 'a lease by attempt, and a receiver that drops repeats by id',
  promise: 'once',
  timed: true,
  async work(db, worker) {
    // THE LEASE: for a minute, no other worker takes the task.
    const task = await takeLease(db, worker);
    if (!task) return { kind: 'idle' };
    // THE ID: the receiver drops the mail if another attempt has sent it.
    await worker.send(task.id, { id: task.id });
    // THE FENCE: writes nothing if a later attempt has begun.
    const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
    return { kind: isWritten ? 'done' : 'lost' };
  },
};

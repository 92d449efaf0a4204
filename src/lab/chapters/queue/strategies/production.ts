import { type ClaimedTask, claimTasks } from '../../../../service/queue/claim.ts';
import { finishDone } from '../../../../service/queue/finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { KIND } from '../trial.ts';

/**
 * The code of the service's queue, and not a copy. The claim uses SKIP LOCKED and a lease. Only the
 * attempt that holds the task may write the outcome. If a worker dies after it has sent, nobody
 * knows of the mail, so the next worker sends again. The mail server drops the repeat by its id, as
 * the receiver of a webhook does.
 */
export const production: QueueStrategy = {
  name: 'production',
  idea: 'a lease, an outcome fenced by the attempt, and an id to drop repeats by',
  promise: 'once',
  timed: true,
  counts: true,
  ofProduction: true,
  async work(db, worker) {
    const [task] = await claimTasks(db, {
      workerId: BigInt(worker.id),
      kinds: [KIND],
      count: 1,
      perLane: 1,
      running: new Map(),
      afterLane: '',
    });
    if (!task) return { kind: 'idle' };
    await worker.send(Number(task.id), { id: Number(task.id) });
    const written = await db.transaction((tx) => finishDone(tx, [holdOf(task)]));
    return { kind: written.has(task.id) ? 'done' : 'lost' };
  },
};

const holdOf = ({ id, attempt }: ClaimedTask) => ({ id, attempt });

import { eq } from 'drizzle-orm';
import type { Database } from '../../../../platform/db/client.ts';
import { finish } from '../finish.ts';
import type { Outcome, QueueStrategy, Worker } from '../strategy.ts';
import { tasks } from '../tables.ts';

/** Starts a process. Its workers wait for one another in the memory of the process. */
function startProcess(): QueueStrategy['work'] {
  let tail: Promise<unknown> = Promise.resolve();
  return (db, worker) => {
    // THE QUEUE: every earlier worker of this process ends before ours begins.
    const mine = tail.then(() => workAlone(db, worker));
    tail = mine.catch(() => undefined);
    return mine;
  };
}

async function workAlone(db: Database, worker: Worker): Promise<Outcome> {
  const isDue = eq(tasks.status, 'due');
  const [task] = await db.select().from(tasks).where(isDue).orderBy(tasks.id).limit(1);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id);
  // THE GAP: if the process dies before this write, the next process sends the mail again.
  await finish(db, task.id);
  return { kind: 'done' };
}

/**
 * The workers of one process work one after the other. No two workers do the same task, as long as
 * there is one process, and the process lives.
 * Counterexample (crash): S1 sends. The process dies. The next process sends again.
 */
export const mutex: QueueStrategy = {
  name: 'mutex',
  idea: 'a queue in memory, in one process',
  promise: 'nothing',
  oneProcess: true,
  work: startProcess(),
  restart: startProcess,
};

/**
 * The same code in two processes. Each process has a separate queue, so workers of different
 * processes do not wait for each other.
 * Counterexample (calm): S1 reads task 1. S2 reads task 1. Both send.
 */
export const mutexInTwoProcesses: QueueStrategy = {
  name: 'mutex-in-two-processes',
  file: 'mutex',
  idea: 'a queue in memory, in each of two processes',
  promise: 'nothing',
  work: startProcess(),
  restart: startProcess,
};

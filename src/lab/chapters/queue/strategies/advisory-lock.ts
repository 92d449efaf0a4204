import { eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../../platform/db/client.ts';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * Reads a due task, and then locks the number of the task during the work. The lock ends when the
 * worker dies, so no task stays marked. But the worker that gets the lock may have read the task
 * before another worker did the task.
 * Counterexample (calm): S1 and S2 read task 1. S1 locks the number, sends, finishes and commits.
 * S2 gets the lock and sends too.
 */
export const advisoryLock: QueueStrategy = {
  name: 'advisory-lock',
  idea: 'read a due task, then lock its number while working',
  promise: 'nothing',
  async work(db, worker) {
    const task = await readDue(db);
    if (!task) return { kind: 'idle' };
    return db.transaction(async (tx) => {
      // THE GAP: another worker may have done the task since we have read it.
      if (!(await tryLock(tx, task.id))) return { kind: 'lost' };
      await worker.send(task.id);
      await finish(tx, task.id);
      return { kind: 'done' };
    });
  },
};

/**
 * Reads the task again under the lock. So no two workers do the same task. But if a worker dies
 * between its mail and its commit, nobody knows of the mail.
 * Counterexample (alone): S1 sends and dies. Its lock and its transaction end. The next worker
 * sends again.
 */
export const advisoryLockLookAgain: QueueStrategy = {
  name: 'advisory-lock-look-again',
  file: 'advisory-lock',
  idea: 'lock the number of a due task, then look at the task again',
  promise: 'nothing',
  async work(db, worker) {
    const task = await readDue(db);
    if (!task) return { kind: 'idle' };
    return db.transaction(async (tx) => {
      // THE LOCK: ends with our transaction.
      if (!(await tryLock(tx, task.id))) return { kind: 'lost' };
      if (!(await isDue(tx, task.id))) return { kind: 'lost' };
      // THE GAP: if the worker dies between here and the commit, nobody knows that it has sent.
      await worker.send(task.id);
      await finish(tx, task.id);
      return { kind: 'done' };
    });
  },
};

async function readDue(db: Database) {
  const isDue = eq(tasks.status, 'due');
  const [task] = await db.select().from(tasks).where(isDue).orderBy(tasks.id).limit(1);
  return task;
}

/** Tries to lock a number, and returns whether it is locked now. Does not wait. */
async function tryLock(tx: Transaction, id: number) {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${id}::bigint) as locked`,
  );
  return row?.locked === true;
}

async function isDue(tx: Transaction, id: number) {
  const [task] = await tx.select().from(tasks).where(eq(tasks.id, id));
  return task?.status === 'due';
}

import { eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../../db/client.ts';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * Reads a due task, and then locks its number while it works. The lock ends with the worker, so no
 * task stays marked. But the worker that gets the lock may have read the task before it was done.
 * Witness (calm): S1 and S2 read task 1, S1 locks it, sends, finishes and commits, S2 gets the lock
 * and sends too.
 */
export const advisoryLock: QueueStrategy = {
  name: 'advisory-lock',
  idea: 'read a due task, then lock its number while working',
  promise: 'nothing',
  async work(db, worker) {
    const task = await readDue(db);
    if (!task) return { kind: 'idle' };
    return db.transaction(async (tx) => {
      // THE GAP: the task may be done since we have read it.
      if (!(await tryLock(tx, task.id))) return { kind: 'lost' };
      await worker.send(task.id);
      await finish(tx, task.id);
      return { kind: 'done' };
    });
  },
};

/**
 * Looks at the task again under the lock. So no two workers do the same task. But a worker that dies
 * before its commit has sent, and nobody knows.
 * Witness (alone): S1 sends and dies, its lock and its transaction end, the next worker sends again.
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
      // THE GAP: from here until the commit, a death forgets that we have sent.
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

/** Locks a number. Does not wait. */
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

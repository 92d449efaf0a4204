import { eq } from 'drizzle-orm';
import { finish, finishIf } from '../finish.ts';
import { acquire, destroy, openSession, readDue, renew } from '../session-lock.ts';
import type { QueueStrategy } from '../strategy.ts';
import { tasks } from '../tables.ts';

/**
 * A lock in etcd, held by a session. The session of a dead worker ends by itself, and after a delay
 * another worker gets the lock. A living worker renews its session right before the mail, and stops
 * if the session is over. But after the renewal, the worker may be slow for longer than any delay.
 * Counterexample (slow): S1 takes the lock and renews. Time passes. S2 takes the lock. Both send
 * and both finish.
 */
export const sessionLock: QueueStrategy = {
  name: 'session-lock',
  idea: 'a lock in etcd: a session that is renewed, and a delay after its end',
  promise: 'nothing',
  needs: 'etcd',
  timed: true,
  async work(db, worker) {
    const session = await openSession(worker);
    // THE LOCK: no other worker has it until our session and its delay are over.
    const token = await acquire(worker, session);
    if (token === undefined) return { kind: 'lost' };
    const task = await readDue(db);
    if (!task) return destroy(worker, session, { kind: 'idle' });
    if (!(await renew(worker, session))) return { kind: 'lost' };
    // THE GAP: when the mail arrives, nobody checks whether the session still lives.
    await worker.send(task.id);
    await finish(db, task.id);
    return destroy(worker, session, { kind: 'done' });
  },
};

/**
 * The same lock, and the mail carries the token of the lock. The mail server refuses a mail if it
 * has accepted a mail with a higher token. So a slow worker cannot send after its successor. But
 * the successor sends even if the slow worker has sent already.
 * Counterexample (alone): S1 sends with token 1 and dies. The next worker sends with token 2.
 */
export const sessionLockToken: QueueStrategy = {
  name: 'session-lock-token',
  file: 'session-lock',
  idea: 'a lock in etcd, and the receiver refuses older tokens',
  promise: 'nothing',
  needs: 'etcd',
  timed: true,
  async work(db, worker) {
    const session = await openSession(worker);
    const token = await acquire(worker, session);
    if (token === undefined) return { kind: 'lost' };
    const task = await readDue(db);
    if (!task) return destroy(worker, session, { kind: 'idle' });
    if (!(await renew(worker, session))) return { kind: 'lost' };
    // THE GAP: a newer token is accepted, even after an older token.
    await worker.send(task.id, { token });
    await finishIf(db, task.id, eq(tasks.status, 'due'));
    return destroy(worker, session, { kind: 'done' });
  },
};

/**
 * The same lock, and the mail server drops a repeat by the id of the task. The lock only saves
 * work. The id and the condition on the status keep the promise, even without the lock.
 */
export const sessionLockId: QueueStrategy = {
  name: 'session-lock-id',
  file: 'session-lock',
  idea: 'a lock in etcd, and the receiver drops repeats by id',
  promise: 'once',
  needs: 'etcd',
  timed: true,
  async work(db, worker) {
    const session = await openSession(worker);
    const token = await acquire(worker, session);
    if (token === undefined) return { kind: 'lost' };
    const task = await readDue(db);
    if (!task) return destroy(worker, session, { kind: 'idle' });
    if (!(await renew(worker, session))) return { kind: 'lost' };
    // THE ID: the receiver drops the mail if another worker has sent it.
    await worker.send(task.id, { id: task.id });
    // THE FENCE: writes nothing if another worker has finished the task.
    await finishIf(db, task.id, eq(tasks.status, 'due'));
    return destroy(worker, session, { kind: 'done' });
  },
};

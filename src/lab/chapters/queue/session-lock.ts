import { eq } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import type { Lease } from '../../stores/etcd.ts';
import type { Outcome, Worker } from './strategy.ts';
import { tasks } from './tables.ts';

/** A worker that has not renewed its session for so long has lost the lock. */
const SESSION_S = 15;
/** After the end of a session, the others wait for this time before one of them gets the lock. */
const DELAY_S = 15;
/** One lock for the whole queue. */
const LOCK = 'lock';

/**
 * A session of a worker. Its lease in etcd lives longer than the session. In the last seconds of the
 * lease the session is over, and the lock is still taken. This is the delay.
 */
export const openSession = ({ etcd }: Worker): Promise<Lease> => etcd.grant(SESSION_S + DELAY_S);

/** Returns a higher token each time somebody gets the lock. Undefined if another worker has the lock. */
export const acquire = ({ etcd, name }: Worker, session: Lease): Promise<number | undefined> =>
  etcd.putIfAbsent(LOCK, name, session);

/** Begins the time of the session anew. False if the session is over. */
export const renew = async ({ etcd }: Worker, session: Lease): Promise<boolean> =>
  (await etcd.outlives(session, DELAY_S)) && (await etcd.keepAlive(session));

/** Ends the session. Another worker may take the lock at once, without the delay. */
export async function destroy({ etcd }: Worker, session: Lease, outcome: Outcome) {
  await etcd.revoke(session);
  return outcome;
}

/** The first task that is due. Only a worker with the lock should ask. */
export async function readDue(db: Database) {
  const isDue = eq(tasks.status, 'due');
  const [task] = await db.select().from(tasks).where(isDue).orderBy(tasks.id).limit(1);
  return task;
}

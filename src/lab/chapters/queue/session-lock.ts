import { eq } from 'drizzle-orm';
import type { Database } from '../../../platform/db/client.ts';
import type { Lease } from '../../stores/etcd.ts';
import type { Outcome, Worker } from './strategy.ts';
import { tasks } from './tables.ts';

/**
 * The length of a session in seconds. A worker that does not renew its session within this time
 * loses the lock.
 */
const SESSION_S = 15;
/**
 * The delay in seconds after the end of a session. Another worker gets the lock only after this
 * delay.
 */
const DELAY_S = 15;
/** The key of the lock in etcd. The whole queue has one lock. */
const LOCK = 'lock';

/**
 * Opens a session of a worker. The lease in etcd lasts as long as the session and the delay
 * together. During the delay the session is over, but no other worker can get the lock yet.
 */
export const openSession = ({ etcd }: Worker): Promise<Lease> => etcd.grant(SESSION_S + DELAY_S);

/**
 * Takes the lock. Returns a token that is higher than the tokens of all earlier holders. Returns
 * undefined if another worker has the lock.
 */
export const acquire = ({ etcd, name }: Worker, session: Lease): Promise<number | undefined> =>
  etcd.putIfAbsent(LOCK, name, session);

/** Restarts the time of the session. Returns false if the session is over already. */
export const renew = async ({ etcd }: Worker, session: Lease): Promise<boolean> =>
  (await etcd.outlives(session, DELAY_S)) && (await etcd.keepAlive(session));

/** Ends the session. Another worker may take the lock immediately, without the delay. */
export async function destroy({ etcd }: Worker, session: Lease, outcome: Outcome) {
  await etcd.revoke(session);
  return outcome;
}

/** Reads the first due task. Only a worker with the lock should call this function. */
export async function readDue(db: Database) {
  const isDue = eq(tasks.status, 'due');
  const [task] = await db.select().from(tasks).where(isDue).orderBy(tasks.id).limit(1);
  return task;
}

import { sql } from 'drizzle-orm';
import type { Database } from '../../../../platform/db/client.ts';
import { done, findKey, running, storeReceipt } from '../queries.ts';
import type { ChargeRequest, RetryStrategy } from '../strategy.ts';
import { keys } from '../tables.ts';

/**
 * A pending key has a lease. While the lease lasts, a repeat is told to ask again. After the end of
 * the lease, a repeat does the work again, so nobody waits for ever. But the end of a lease does
 * not tell whether the first request has charged.
 * Counterexample: S1 takes the lease, charges and dies. The lease ends. The repeat charges again.
 */
export const lease: RetryStrategy = {
  name: 'lease',
  idea: 'pending with a lease: a repeat does the work after its end',
  promise: 'nothing',
  timed: true,
  async handle(db, request, server) {
    if (!(await takeLease(db, request))) return answerOfOther(db, request);
    // THE GAP: the holder of the lease before ours may have charged.
    const receipt = await server.charge();
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

/** The same lease, and the provider charges only once for each key. */
export const leaseProvider: RetryStrategy = {
  name: 'lease-provider',
  file: 'lease',
  idea: 'pending with a lease, and the provider drops repeats',
  promise: 'once',
  timed: true,
  async handle(db, request, server) {
    if (!(await takeLease(db, request))) return answerOfOther(db, request);
    // THE FENCE: the provider charges once for this key.
    const receipt = await server.charge({ key: request.key });
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

/** Returns false if the work is done, or if another request has the lease. */
async function takeLease(db: Database, { key }: ChargeRequest): Promise<boolean> {
  const taken = await db
    .insert(keys)
    .values({ key, leaseUntil: sql`now() + interval '1 minute'` })
    .onConflictDoUpdate({
      target: keys.key,
      set: { leaseUntil: sql`excluded.lease_until` },
      // THE LEASE
      setWhere: sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`,
    })
    .returning({ key: keys.key });
  return taken.length > 0;
}

async function answerOfOther(db: Database, request: ChargeRequest) {
  const known = await findKey(db, request);
  return known?.status === 'done' ? done(known.receipt) : running;
}

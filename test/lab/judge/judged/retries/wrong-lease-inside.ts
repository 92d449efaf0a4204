import { sql } from 'drizzle-orm';
import {
  chargeInside,
  done,
  findKey,
  running,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';

/**
 * Wrong: the charge and the receipt are in one transaction. But this transaction does not check the
 * lease.
 */
const handle: RetryStrategy['handle'] = async (db, { key }) => {
  const [mine] = await db
    .insert(keys)
    .values({ key, leaseUntil: sql`now() + interval '1 minute'` })
    .onConflictDoUpdate({
      target: keys.key,
      set: { leaseUntil: sql`excluded.lease_until` },
      setWhere: sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`,
    })
    .returning();
  if (!mine) {
    const known = await findKey(db, { key });
    return known?.status === 'done' ? done(known.receipt) : running;
  }
  return db.transaction(async (tx) => {
    const receipt = await chargeInside(tx, { key });
    await storeReceipt(tx, { key }, receipt);
    return done(receipt);
  });
};
export default handle;

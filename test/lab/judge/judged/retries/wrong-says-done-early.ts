import { sql } from 'drizzle-orm';
import { done, storeReceipt } from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';

/** Wrong: a repeat within the lease is told `done`, though the first request may have died. */
const handle: RetryStrategy['handle'] = async (db, { key }, server) => {
  const [mine] = await db
    .insert(keys)
    .values({ key, leaseUntil: sql`now() + interval '1 minute'` })
    .onConflictDoUpdate({
      target: keys.key,
      set: { leaseUntil: sql`excluded.lease_until` },
      setWhere: sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`,
    })
    .returning();
  if (mine) await storeReceipt(db, { key }, await server.charge({ key }));
  return done(null);
};
export default handle;

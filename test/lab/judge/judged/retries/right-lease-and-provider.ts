import { and, eq, sql } from 'drizzle-orm';
import { done, findKey, running } from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';

/** Right: the provider drops repeats, and only the first receipt is stored. */
const handle: RetryStrategy['handle'] = async (db, { key }, server) => {
  const [mine] = await db
    .insert(keys)
    .values({ key, leaseUntil: sql`now() + interval '30 seconds'` })
    .onConflictDoUpdate({
      target: keys.key,
      set: { leaseUntil: sql`excluded.lease_until` },
      setWhere: sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`,
    })
    .returning();
  const known = mine ?? (await findKey(db, { key }));
  if (known?.status === 'done') return done(known.receipt);
  if (!mine) return running;
  const receipt = await server.charge({ key: `charge-${key}` });
  await db
    .update(keys)
    .set({ status: 'done', receipt })
    .where(and(eq(keys.key, key), eq(keys.status, 'pending')));
  return done(receipt);
};
export default { handle };

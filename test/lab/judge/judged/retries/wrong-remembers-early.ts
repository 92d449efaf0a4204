import { sql } from 'drizzle-orm';
import { chargeInside, done, findKey, storeKey } from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';

/**
 * Wrong: the server stores the receipt in memory before the commit, but the transaction may still
 * roll back.
 */
const handle: RetryStrategy['handle'] = async (db, request, { memory }) => {
  const remembered = await memory.get<number>(request.key);
  if (remembered) return done(remembered);
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${request.key}, 0))`);
    const known = await findKey(tx, request);
    const receipt = known?.receipt ?? (await chargeInside(tx, request));
    if (!known) await storeKey(tx, request, receipt);
    await memory.set(request.key, receipt);
    return done(receipt);
  });
};
export default handle;

import { sql } from 'drizzle-orm';
import {
  chargeInside,
  done,
  findKey,
  running,
  storeKey,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';

/** Wrong: after an error nobody unlocks, and the session keeps the lock. */
const handle: RetryStrategy['handle'] = async (db, request) => {
  const lock = sql`(hashtextextended(${request.key}, 0))`;
  const [row] = await db.execute<{ ok: boolean }>(sql`select pg_try_advisory_lock${lock} as ok`);
  if (!row?.ok) return running;
  let receipt = (await findKey(db, request))?.receipt;
  if (!receipt)
    receipt = await db.transaction(async (tx) => {
      const charged = await chargeInside(tx, request);
      await storeKey(tx, request, charged);
      return charged;
    });
  await db.execute(sql`select pg_advisory_unlock${lock}`);
  return done(receipt);
};
export default handle;

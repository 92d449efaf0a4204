import { sql } from 'drizzle-orm';
import { chargeInside, done } from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { charges } from 'rowlock/lab/chapters/retries/tables.ts';

/**
 * Wrong: only one request runs at a time, but the SELECT has no condition on the key. So it finds
 * another client's charge.
 */
const handle: RetryStrategy['handle'] = (db, request) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${charges} in exclusive mode`);
    const [known] = await tx.select().from(charges).limit(1);
    return done(known?.receipt ?? (await chargeInside(tx, request)));
  });
export default handle;

import { sql } from 'drizzle-orm';
import { chargeInside, done, storeReceipt } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Right: the upsert changes nothing in a row that exists, but it waits for the row, locks it and
 * returns its newest version. Key, charge and receipt commit together.
 */
export default function handle(db: Database, request: ChargeRequest): Promise<Answer> {
  return db.transaction(async (tx) => {
    const [known] = await tx
      .insert(keys)
      .values({ key: request.key })
      .onConflictDoUpdate({ target: keys.key, set: { key: sql`excluded.key` } })
      .returning();
    if (known?.status === 'done') return done(known.receipt);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });
}

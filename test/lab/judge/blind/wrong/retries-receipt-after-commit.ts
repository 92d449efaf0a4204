import { eq } from 'drizzle-orm';
import {
  chargeInside,
  done,
  insertKey,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: it charges under the lock of the key, but stores the receipt after the commit. A repeat that
 * gets the lock in between, or comes after a death, charges again.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  _server: Server,
): Promise<Answer> {
  await insertKey(db, request);
  const { receipt, isNew } = await db.transaction(async (tx) => {
    const [known] = await tx.select().from(keys).where(eq(keys.key, request.key)).for('update');
    if (known?.status === 'done') return { receipt: known.receipt, isNew: false };
    return { receipt: await chargeInside(tx, request), isNew: true };
  });
  if (isNew && receipt !== null) await storeReceipt(db, request, receipt);
  return done(receipt);
}

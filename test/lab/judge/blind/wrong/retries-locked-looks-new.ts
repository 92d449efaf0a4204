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
 * Wrong: SKIP LOCKED hides the row of a key whose request still runs. So the repeat finds no receipt,
 * and charges.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  _server: Server,
): Promise<Answer> {
  await insertKey(db, request);
  return db.transaction(async (tx) => {
    const [known] = await tx
      .select()
      .from(keys)
      .where(eq(keys.key, request.key))
      .for('update', { skipLocked: true });
    if (known?.status === 'done') return done(known.receipt);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });
}

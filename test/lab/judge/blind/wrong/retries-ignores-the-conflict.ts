import {
  chargeInside,
  done,
  findKey,
  insertKey,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: it looks for the key before the transaction, and then ignores whether the insert has met a
 * conflict. A repeat that waited for the first request charges again.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  _server: Server,
): Promise<Answer> {
  const known = await findKey(db, request);
  if (known) return done(known.receipt);
  return db.transaction(async (tx) => {
    await insertKey(tx, request);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });
}

import {
  chargeInside,
  done,
  findKey,
  insertKey,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Charges the client for a request. A repeat of the request has the same key. */
export default async function handle(db: Database, request: ChargeRequest): Promise<Answer> {
  const isFirst = await insertKey(db, request);
  if (!isFirst) return done((await findKey(db, request))?.receipt ?? null);
  const receipt = await chargeInside(db, request);
  await storeReceipt(db, request, receipt);
  return done(receipt);
}

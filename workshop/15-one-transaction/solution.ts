import {
  chargeInside,
  done,
  findKey,
  insertKey,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** The key, the charge and the receipt are committed together, or not at all. */
export default (db: Database, request: ChargeRequest): Promise<Answer> =>
  db.transaction(async (tx) => {
    const isFirst = await insertKey(tx, request);
    if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });

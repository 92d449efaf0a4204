import { done, findKey, insertKey, storeReceipt } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** The provider charges once for each key, so a repeat gets the receipt of the first charge. */
export default (db: Database, request: ChargeRequest, server: Server): Promise<Answer> =>
  db.transaction(async (tx) => {
    const isFirst = await insertKey(tx, request);
    if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await server.charge({ key: request.key });
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });

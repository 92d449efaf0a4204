import { done, findKey, insertKey, storeReceipt } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Uses one transaction as before, but a provider outside the database charges the client. */
export default (db: Database, request: ChargeRequest, server: Server): Promise<Answer> =>
  db.transaction(async (tx) => {
    const isFirst = await insertKey(tx, request);
    if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await server.charge();
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });

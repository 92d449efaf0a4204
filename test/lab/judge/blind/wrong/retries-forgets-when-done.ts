import {
  chargeInside,
  deleteKey,
  done,
  findKey,
  insertKey,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the key is only a lock. It is deleted when the work is done, so a repeat that comes after
 * the commit charges again.
 */
export default function handle(
  db: Database,
  request: ChargeRequest,
  _server: Server,
): Promise<Answer> {
  return db.transaction(async (tx) => {
    const isFirst = await insertKey(tx, request);
    if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await chargeInside(tx, request);
    await deleteKey(tx, request);
    return done(receipt);
  });
}

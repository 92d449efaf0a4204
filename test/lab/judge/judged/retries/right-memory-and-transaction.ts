import {
  chargeInside,
  done,
  findKey,
  insertKey,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';

/**
 * Right: repeats on one server share a promise in memory. But the transaction alone makes sure that
 * the client is charged once.
 */
const known = new Map<string, Promise<Answer>>();

const handle: RetryStrategy['handle'] = (db, request) => {
  const first = known.get(request.key);
  if (first) return first;
  const mine = db.transaction(async (tx) => {
    if (!(await insertKey(tx, request))) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });
  known.set(request.key, mine);
  const forget = () => void known.delete(request.key);
  mine.then(forget, forget);
  return mine;
};
export default handle;

import { done, findKey, insertKey, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Inserts the key before the work. The primary key lets only one request do the work, so nothing is
 * done twice. But a server that dies after the insert leaves a key without work, and every repeat
 * believes that the work is done.
 * Counterexample: S1 inserts the key and dies. The client asks again and is told that it was
 * charged.
 */
export const insertFirst: RetryStrategy = {
  name: 'insert-first',
  idea: 'insert the key, then charge: the zombie',
  promise: 'nothing',
  async handle(db, request, server) {
    const isFirst = await insertKey(db, request);
    if (!isFirst) return done((await findKey(db, request))?.receipt ?? null);
    // THE GAP: if the server dies here, the key says that the work is done.
    const receipt = await server.charge();
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

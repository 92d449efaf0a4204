import { done, findKey, storeKey } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Inserts the key after the work. So no request is lost. But a server that dies before the insert
 * has left no trace of its work, and the repeat does the work again.
 * Witness: S1 charges and dies, the client asks again, the server charges again.
 */
export const workFirst: RetryStrategy = {
  name: 'work-first',
  idea: 'charge, then store the key with the receipt',
  promise: 'nothing',
  async handle(db, request, server) {
    const known = await findKey(db, request);
    if (known) return done(known.receipt);
    const receipt = await server.charge();
    // THE GAP: if the server dies here, nobody knows that the client was charged.
    await storeKey(db, request, receipt);
    return done(receipt);
  },
};

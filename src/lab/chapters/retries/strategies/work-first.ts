import { done, findKey, storeKey } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Inserts the key after the work, so no request is lost. But two simultaneous requests may both
 * find no key, and then both charge. Also, a server that dies before the insert leaves no trace of
 * its charge.
 * Counterexample: S1 finds no key. S2 finds no key. Both charge. Or: S1 charges and dies. The
 * client asks again. The server charges again.
 */
export const workFirst: RetryStrategy = {
  name: 'work-first',
  idea: 'charge, then store the key with the receipt',
  promise: 'nothing',
  async handle(db, request, server) {
    const known = await findKey(db, request);
    if (known) return done(known.receipt);
    const receipt = await server.charge();
    // THE GAP: until this insert, no other request can see that the client was charged.
    await storeKey(db, request, receipt);
    return done(receipt);
  },
};

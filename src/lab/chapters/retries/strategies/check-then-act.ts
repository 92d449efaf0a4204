import { done, findKey, insertKey, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Looks for the key, and then inserts it. Two requests may find no key before one of them inserts
 * the key.
 * Counterexample: S1 finds no key. S2 finds no key. Both charge.
 */
export const checkThenAct: RetryStrategy = {
  name: 'check-then-act',
  idea: 'look for the key, insert it, then charge',
  promise: 'nothing',
  async handle(db, request, server) {
    const known = await findKey(db, request);
    if (known) return done(known.receipt);
    // THE GAP: another request may have found no key either.
    await insertKey(db, request);
    const receipt = await server.charge();
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

import { chargeInside, done, findKey, insertKey, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * The key, the work and the answer are in one transaction, so PostgreSQL commits all three or none.
 * The primary key makes a repeat wait until the first request has ended. The strategy is right only
 * if all work is inside the database.
 */
export const oneTransaction: RetryStrategy = {
  name: 'one-transaction',
  idea: 'insert the key, charge and store the receipt in one transaction',
  promise: 'once',
  handle: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: a repeat waits here until we commit or roll back.
      const isFirst = await insertKey(tx, request);
      if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
      const receipt = await chargeInside(tx, request);
      await storeReceipt(tx, request, receipt);
      return done(receipt);
    }),
};

/**
 * The same transaction, but the provider makes the charge. No rollback takes this charge back.
 * Counterexample: S1 charges and dies before its commit. The key is rolled back. The repeat charges
 * again.
 */
export const chargeInTransaction: RetryStrategy = {
  name: 'charge-in-transaction',
  file: 'one-transaction',
  idea: 'the same transaction, with the charge outside',
  promise: 'nothing',
  handle: (db, request, server) =>
    db.transaction(async (tx) => {
      const isFirst = await insertKey(tx, request);
      if (!isFirst) return done((await findKey(tx, request))?.receipt ?? null);
      // THE GAP: a rollback takes the key back, but not this charge.
      const receipt = await server.charge();
      await storeReceipt(tx, request, receipt);
      return done(receipt);
    }),
};

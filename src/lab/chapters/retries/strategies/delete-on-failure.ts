import { deleteKey, done, findKey, insertKey, running, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Inserts the key first, and deletes the key if the work fails, so that a repeat can try again. But
 * an error may come after the charge. And a server that dies deletes nothing.
 * Counterexample: S1 charges, but the provider's answer is lost. S1 deletes the key. The repeat
 * charges again.
 */
export const deleteOnFailure: RetryStrategy = {
  name: 'delete-on-failure',
  idea: 'insert the key, and delete it if the charge fails',
  promise: 'nothing',
  async handle(db, request, server) {
    const isFirst = await insertKey(db, request);
    const known = isFirst ?? (await findKey(db, request));
    if (known?.status === 'done') return done(known.receipt);
    if (!isFirst) return running;
    try {
      const receipt = await server.charge();
      await storeReceipt(db, request, receipt);
      return done(receipt);
    } catch (error) {
      // THE GAP: an error does not tell whether the client was charged.
      await deleteKey(db, request);
      throw error;
    }
  },
};

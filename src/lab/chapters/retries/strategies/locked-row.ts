import { eq } from 'drizzle-orm';
import { chargeInside, done, insertKey, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';
import { keys } from '../tables.ts';

/**
 * Locks the row of the key, and works in the transaction that holds the lock. The key alone means
 * nothing. Only the receipt says that the work is done, and the receipt commits together with the
 * work.
 */
export const lockedRow: RetryStrategy = {
  name: 'locked-row',
  idea: 'lock the row of the key, and work under the lock',
  promise: 'once',
  async handle(db, request) {
    await insertKey(db, request);
    return db.transaction(async (tx) => {
      // THE LOCK: a repeat waits here until we commit or roll back.
      const [known] = await tx.select().from(keys).where(eq(keys.key, request.key)).for('update');
      if (known?.status === 'done') return done(known.receipt);
      const receipt = await chargeInside(tx, request);
      await storeReceipt(tx, request, receipt);
      return done(receipt);
    });
  },
};

import { eq } from 'drizzle-orm';
import {
  chargeInside,
  done,
  insertKey,
  running,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

/** Right: a repeat does not wait for the lock, but is told to ask again. */
const handle: RetryStrategy['handle'] = async (db, request) => {
  await insertKey(db, request);
  try {
    return await db.transaction(async (tx) => {
      const own = tx.select().from(keys).where(eq(keys.key, request.key));
      const [known] = await own.for('update', { noWait: true });
      if (known?.status === 'done') return done(known.receipt);
      const receipt = await chargeInside(tx, request);
      await storeReceipt(tx, request, receipt);
      return done(receipt);
    });
  } catch (error) {
    if (databaseError(error)?.code === SQLSTATE.lockNotAvailable) return running;
    throw error;
  }
};
export default handle;

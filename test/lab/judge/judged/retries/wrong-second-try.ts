import { and, eq, isNull, sql } from 'drizzle-orm';
import {
  chargeInside,
  done,
  findKey,
  running,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';

const TAKEN_OVER = 0;

/**
 * Wrong: the first request charges and stores its receipt in one transaction, unless a repeat has
 * taken the key over. But the repeat charges and stores in two transactions, and its server may die
 * between them.
 */
const handle: RetryStrategy['handle'] = async (db, request) => {
  const leaseUntil = sql`now() + interval '1 minute'`;
  const isMine = and(eq(keys.key, request.key), eq(keys.status, 'pending'));
  const begun = db.insert(keys).values({ key: request.key, leaseUntil }).onConflictDoNothing();
  if ((await begun.returning()).length > 0)
    return db
      .transaction(async (tx) => {
        const receipt = await chargeInside(tx, request);
        const stored = tx.update(keys).set({ status: 'done', receipt });
        const rows = await stored.where(and(isMine, isNull(keys.receipt))).returning();
        return rows.length > 0 ? done(receipt) : tx.rollback();
      })
      .catch(() => running);
  const known = await findKey(db, request);
  if (known?.status === 'done') return done(known.receipt);
  const taken = db.update(keys).set({ leaseUntil, receipt: TAKEN_OVER });
  const [mine] = await taken.where(and(isMine, sql`${keys.leaseUntil} < now()`)).returning();
  if (!mine) return running;
  const receipt = await chargeInside(db, request);
  await storeReceipt(db, request, receipt);
  return done(receipt);
};
export default handle;

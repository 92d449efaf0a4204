import { and, eq, sql } from 'drizzle-orm';
import { chargeInside, done, findKey, running } from 'rowlock/lab/chapters/retries/queries.ts';
import type { ChargeRequest, RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import { charges, keys } from 'rowlock/lab/chapters/retries/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const LATE = new Error('another request has taken over');
const leaseUntil = sql`now() + interval '1 minute'`;

/**
 * Wrong: only the newest attempt may write the end. The attempt is in the column `receipt` here.
 * But a take-over is a read and a separate write. Two requests that read at the same time get the
 * same attempt, and both charge.
 */
const handle: RetryStrategy['handle'] = async (db, request) => {
  const [first] = await db
    .insert(keys)
    .values({ key: request.key, receipt: 1, leaseUntil })
    .onConflictDoNothing()
    .returning();
  const attempt = first ? 1 : await takeOver(db, request);
  if (attempt === undefined) return answerOf(db, request);
  const isMine = and(eq(keys.key, request.key), eq(keys.receipt, attempt));
  try {
    return await db.transaction(async (tx) => {
      const receipt = await chargeInside(tx, request);
      const ended = await tx.update(keys).set({ status: 'done' }).where(isMine).returning();
      if (ended.length === 0) throw LATE;
      return done(receipt);
    });
  } catch (error) {
    if (error === LATE) return running;
    throw error;
  }
};

async function takeOver(db: Database, { key }: ChargeRequest): Promise<number | undefined> {
  const isOver = sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`;
  const [known] = await db
    .select()
    .from(keys)
    .where(and(eq(keys.key, key), isOver));
  if (!known) return undefined;
  const receipt = (known.receipt ?? 0) + 1;
  const isPending = and(eq(keys.key, key), eq(keys.status, 'pending'));
  const taken = await db.update(keys).set({ receipt, leaseUntil }).where(isPending).returning();
  return taken.length > 0 ? receipt : undefined;
}

async function answerOf(db: Database, request: ChargeRequest) {
  if ((await findKey(db, request))?.status !== 'done') return running;
  const [charge] = await db.select().from(charges).where(eq(charges.key, request.key)).limit(1);
  return done(charge?.receipt ?? null);
}

export default handle;

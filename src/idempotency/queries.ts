import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { idempotencyKeys } from '../db/schema.ts';
import type { RequestKey, StoredAnswer } from './keys.ts';

const NOW = sql`statement_timestamp()`;

/**
 * Takes the key for this transaction; false when it has been answered before. While another
 * transaction has it, this one waits for that to end, as long as `lock_timeout` allows.
 */
export async function takeKey(
  tx: Transaction,
  { caller, key, fingerprint }: RequestKey,
  hours: number,
): Promise<boolean> {
  const expiresAt = sql`${NOW} + make_interval(hours => ${hours})`;
  const taken = await tx
    .insert(idempotencyKeys)
    .values({ caller, key, fingerprint, expiresAt })
    .onConflictDoUpdate({
      target: [idempotencyKeys.caller, idempotencyKeys.key],
      set: { fingerprint, expiresAt, status: null, headers: null, body: null },
      setWhere: lte(idempotencyKeys.expiresAt, NOW),
    })
    .returning({ key: idempotencyKeys.key });
  return taken.length > 0;
}

/** Stores the answer beside the key that this transaction has taken. */
export const storeAnswer = async (tx: Transaction, request: RequestKey, answer: StoredAnswer) => {
  await tx.update(idempotencyKeys).set(answer).where(isThis(request));
};

/** What was answered to this key, and to which request. */
export async function findAnswer(
  db: Database | Transaction,
  request: RequestKey,
): Promise<(StoredAnswer & { fingerprint: string }) | undefined> {
  const [stored] = await db
    .select()
    .from(idempotencyKeys)
    .where(and(isThis(request), gt(idempotencyKeys.expiresAt, NOW)));
  if (!stored) return undefined;
  const { fingerprint, status, headers, body } = stored;
  if (status === null || headers === null || body === null)
    throw new Error('an idempotency key was committed without its answer');
  return { fingerprint, status, headers, body };
}

/** Removes up to `limit` expired keys that nobody is taking anew, and says how many. */
export async function removeExpiredKeys(tx: Transaction, limit: number): Promise<number> {
  const { caller, key, expiresAt } = idempotencyKeys;
  const expired = tx
    .$with('expired')
    .as(
      tx
        .select({ caller, key })
        .from(idempotencyKeys)
        .where(lte(expiresAt, NOW))
        .orderBy(asc(expiresAt))
        .limit(limit)
        .for('update', { skipLocked: true }),
    );
  const removed = await tx
    .with(expired)
    .delete(idempotencyKeys)
    .where(sql`(${caller}, ${key}) in (select ${expired.caller}, ${expired.key} from ${expired})`)
    .returning({ key });
  return removed.length;
}

const isThis = ({ caller, key }: RequestKey) =>
  and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key));

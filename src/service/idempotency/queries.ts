import { asc, lte, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { idempotencyKeys } from '../database/schema.ts';
import type { RequestKey, StoredAnswer } from './keys.ts';

/** A stored answer, and the fingerprint of its request. */
export type KnownAnswer = StoredAnswer & Pick<RequestKey, 'fingerprint'>;

/** `execute` requires row types with an index signature. */
type Row<T> = T & Record<string, unknown>;

/**
 * The number of the advisory lock of a key. Two keys may have the same number. Requests with these
 * keys then wait for one another, which does no harm.
 */
const LOCK = sql`hashtextextended(caller || ' ' || key, 0)`;

/** Makes rows with the given columns of the requests. All requests are in one parameter. */
const rowsOf = (requests: RequestKey[], columns: string) =>
  sql`jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as request (${sql.raw(columns)})`;
const KEY = 'caller text, key text';

/** THE LOCK: a repeat waits here until our transaction ends, but no longer than `lock_timeout`. */
export const lockKey = async (tx: Transaction, request: RequestKey) => {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}) from ${rowsOf([request], KEY)}`);
};

/**
 * Locks the keys that no other transaction has locked, and returns their requests. Does not wait.
 */
export async function tryKeys(tx: Transaction, requests: RequestKey[]): Promise<RequestKey[]> {
  const rows = await tx.execute<{ caller: string; key: string }>(sql`
    select caller, key from ${rowsOf(requests, KEY)} where pg_try_advisory_xact_lock(${LOCK})`);
  const kept = new Set(rows.map(nameOfKey));
  return requests.filter((request) => kept.has(nameOfKey(request)));
}

/**
 * Finds the stored answers to these requests. `nameOfKey` makes the keys of the map. A transaction
 * that writes later must lock the keys first.
 */
export async function findAnswers(
  db: Database | Transaction,
  requests: RequestKey[],
): Promise<Map<string, KnownAnswer>> {
  const rows = await db.execute<Row<KnownAnswer & { caller: string; key: string }>>(sql`
    select caller, key, fingerprint, status, headers, body
    from ${idempotencyKeys} join ${rowsOf(requests, KEY)} using (caller, key)
    where expires_at > ${NOW}`);
  return new Map(rows.map((row) => [nameOfKey(row), row]));
}

/**
 * Stores answers. Before this call, the transaction must lock the keys and make sure that the keys
 * have no stored answers. Throws if a key has an answer.
 */
export async function storeAnswers(tx: Transaction, answers: (RequestKey & StoredAnswer)[]) {
  const columns = `${KEY}, fingerprint text, hours int, status int, headers jsonb, body text`;
  const stored = await tx.execute(sql`
    insert into ${idempotencyKeys} as known
      (caller, key, fingerprint, status, headers, body, expires_at)
    select caller, key, fingerprint, status, headers, body, ${NOW} + make_interval(hours => hours)
    from ${rowsOf(answers, columns)}
    on conflict (caller, key) do update set (fingerprint, status, headers, body, expires_at) =
      (excluded.fingerprint, excluded.status, excluded.headers, excluded.body, excluded.expires_at)
    where known.expires_at <= ${NOW}
    returning 1`);
  if (stored.length !== answers.length) throw new Error('an answer to a key was there already');
}

/** Returns a name that no other key has. */
export const nameOfKey = ({ caller, key }: Pick<RequestKey, 'caller' | 'key'>): string =>
  JSON.stringify([caller, key]);

/**
 * Removes up to `limit` expired keys, and returns how many it removed. Skips rows that another
 * transaction has locked, but does not check the advisory locks of keys.
 */
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

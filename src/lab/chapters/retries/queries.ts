import { eq } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import type { Answer, ChargeRequest } from './strategy.ts';
import { charges, keys } from './tables.ts';

export type Key = typeof keys.$inferSelect;

export const done = (receipt: number | null): Answer => ({ kind: 'done', receipt });

export const running: Answer = { kind: 'running' };

/** Returns the row of the key. Returns undefined if there is no such row. */
export async function findKey(
  db: Database | Transaction,
  { key }: ChargeRequest,
): Promise<Key | undefined> {
  const [known] = await db.select().from(keys).where(eq(keys.key, key));
  return known;
}

/** Inserts the key as `pending`. Returns undefined if the table had the key already. */
export async function insertKey(
  db: Database | Transaction,
  { key }: ChargeRequest,
): Promise<Key | undefined> {
  const [inserted] = await db.insert(keys).values({ key }).onConflictDoNothing().returning();
  return inserted;
}

/** Marks the key as `done`, and stores the receipt for repeats. */
export const storeReceipt = (db: Database | Transaction, { key }: ChargeRequest, receipt: number) =>
  db.update(keys).set({ status: 'done', receipt }).where(eq(keys.key, key));

/** Charges inside our own database, and returns the receipt. A rollback takes the charge back. */
export async function chargeInside(
  db: Database | Transaction,
  { key }: ChargeRequest,
): Promise<number> {
  const [charge] = await db.insert(charges).values({ key }).returning();
  if (!charge) throw new Error('the charge was not inserted');
  return charge.receipt;
}

/** Inserts the key together with its receipt. Throws if the table has the key already. */
export const storeKey = (db: Database | Transaction, { key }: ChargeRequest, receipt: number) =>
  db.insert(keys).values({ key, status: 'done', receipt });

export const deleteKey = (db: Database | Transaction, { key }: ChargeRequest) =>
  db.delete(keys).where(eq(keys.key, key));

import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from 'rowlock/platform/db/client.ts';

/** Runs work in a transaction that locks this number. */
export const inTurn = <T>(db: Database, number: SQL, work: (tx: Transaction) => Promise<T>) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${number})`);
    return work(tx);
  });

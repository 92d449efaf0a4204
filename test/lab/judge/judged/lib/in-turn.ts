import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from 'rowlock/db/client.ts';

/** Runs work in a transaction that has the lock of this number to itself. */
export const inTurn = <T>(db: Database, number: SQL, work: (tx: Transaction) => Promise<T>) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${number})`);
    return work(tx);
  });

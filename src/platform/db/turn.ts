import { sql } from 'drizzle-orm';
import { PlainError } from '../process/errors.ts';
import { pause } from '../waiting/backoff.ts';
import { databaseAlone } from './alone.ts';
import type { Database, Transaction } from './client.ts';

/** Any number would do, but all instances must use the same number. */
export const MIGRATION_LOCK = 7_203_554;

const TURN_MS = 100;

/** A database that is migrated. */
export interface MigrationTarget {
  url: string;
  db: Database;
  /** The maximum wait for another process that migrates, or for a table that is in use. */
  patienceMs: number;
}

/**
 * Runs work in a transaction while no other instance migrates. The lock belongs to the transaction,
 * and not to the session. Behind a pooler in transaction mode, we lose the server's session after
 * each transaction. A lock of the session would stay with this lost session.
 */
export async function inTurn<T>(
  { db, patienceMs }: Pick<MigrationTarget, 'db' | 'patienceMs'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const done = await db.transaction(async (tx) => {
      // We ask for the lock again and again, and do not wait in a statement. A waiting statement
      // would keep its snapshot. The holder of the lock may build an index, and this build waits
      // for all older snapshots. Each of the two would wait for the other. PostgreSQL does not
      // detect this deadlock.
      const [lock] = await tx.execute(
        sql`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS ours`,
      );
      return lock?.ours ? { result: await work(tx) } : undefined;
    });
    if (done) return done.result;
    if (performance.now() > until)
      throw new PlainError('Another process is still migrating this database. Try again later.');
    await pause(TURN_MS);
  }
}

/** Runs work outside of transactions, while a second session holds the lock. */
export async function whileOurTurn(
  { url, patienceMs }: MigrationTarget,
  work: () => Promise<void>,
) {
  const holder = databaseAlone(url, { application_name: 'rowlock migrate (turn)' });
  try {
    await inTurn({ db: holder.db, patienceMs }, async (tx) => {
      await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = 0`);
      await work();
    });
  } finally {
    await holder.close();
  }
}

import { sql } from 'drizzle-orm';
import { chargeInside, done, findKey, storeKey } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Locks a number that belongs to the key. So the lock needs no row, and a rollback leaves nothing.
 * A repeat waits for the lock, and then finds the receipt.
 */
export const advisoryLock: RetryStrategy = {
  name: 'advisory-lock',
  idea: 'pg_advisory_xact_lock(key), held until the commit',
  promise: 'once',
  handle: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: a repeat waits here until we commit or roll back.
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${request.key}, 0))`);
      const known = await findKey(tx, request);
      if (known) return done(known.receipt);
      const receipt = await chargeInside(tx, request);
      await storeKey(tx, request, receipt);
      return done(receipt);
    }),
};

/**
 * A trap: under REPEATABLE READ the first statement takes the snapshot before the statement waits
 * for the lock. After the wait, the repeat does not see the receipt, and charges. Only the primary
 * key stops the repeat. So the client gets an error in place of the receipt.
 * Counterexample: S1 locks. S2 takes its snapshot and waits. S1 commits. S2 charges and fails.
 */
export const advisoryLockRepeatableRead: RetryStrategy = {
  name: 'advisory-lock-repeatable-read',
  file: 'advisory-lock',
  idea: 'the same lock under REPEATABLE READ: looks at the past',
  promise: 'nothing',
  handle: (db, request) =>
    db.transaction(
      async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${request.key}, 0))`);
        // THE GAP: the snapshot of this SELECT is older than the wait for the lock.
        const known = await findKey(tx, request);
        if (known) return done(known.receipt);
        const receipt = await chargeInside(tx, request);
        await storeKey(tx, request, receipt);
        return done(receipt);
      },
      { isolationLevel: 'repeatable read' },
    ),
};

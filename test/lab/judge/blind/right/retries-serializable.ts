import {
  chargeInside,
  done,
  findKey,
  running,
  storeKey,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

const MOST_TRIES = 10;
const conflicts: readonly string[] = [SQLSTATE.serializationFailure, SQLSTATE.uniqueViolation];

/**
 * Right: it first reads the key, and then charges, without a lock. But the charge is inside the database, so
 * the request that loses is rolled back with its charge, and finds the receipt in its next try.
 */
export default async function handle(db: Database, request: ChargeRequest): Promise<Answer> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return await db.transaction(
        async (tx) => {
          const known = await findKey(tx, request);
          if (known) return done(known.receipt);
          const receipt = await chargeInside(tx, request);
          await storeKey(tx, request, receipt);
          return done(receipt);
        },
        { isolationLevel: 'serializable' },
      );
    } catch (error) {
      if (!conflicts.includes(databaseError(error)?.code ?? '')) throw error;
    }
  }
  return running;
}

import { done, findKey, running, storeKey } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

const MOST_TRIES = 5;
const conflicts: readonly string[] = [SQLSTATE.serializationFailure, SQLSTATE.uniqueViolation];

/**
 * Wrong: PostgreSQL lets only one of two requests commit, but the charge at the provider is in the
 * transaction. The request that is rolled back has charged too.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  server: Server,
): Promise<Answer> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return await db.transaction(
        async (tx) => {
          const known = await findKey(tx, request);
          if (known) return done(known.receipt);
          const receipt = await server.charge();
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

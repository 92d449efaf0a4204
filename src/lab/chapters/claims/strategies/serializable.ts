import { insertClaim } from '../../../../claims/queries.ts';
import { databaseError, SQLSTATE } from '../../../../db/sqlstate.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * PostgreSQL lets transactions commit only if some order of one after the other explains them; of
 * two that counted 3 and inserted, no order does, so one fails with 40001 and tries again. Nobody
 * waits; the price is the work done twice, and a caller who must be ready to repeat it.
 */
export const serializable: ClaimStrategy = {
  name: 'serializable',
  idea: 'the database finds the conflict, we try again',
  promise: 'capacity',
  claim: (db, request) =>
    retryOn(isSerializationFailure, () =>
      db.transaction(
        async (tx) => {
          const decision = await countClaims(tx, request);
          if (decision.kind !== 'granted') return decision;
          const claim = await insertClaim(tx, request);
          return { kind: 'claimed', claim, slots: decision.slots };
        },
        // THE CHECK: of two that counted the same and inserted, one fails.
        { isolationLevel: 'serializable' },
      ),
    ),
};

const isSerializationFailure = (error: unknown) =>
  databaseError(error)?.code === SQLSTATE.serializationFailure;

import { databaseError, SQLSTATE } from '../../../../platform/db/sqlstate.ts';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * PostgreSQL commits transactions only if they could have run one after the other with the same
 * result. In such an order, two transactions could not both count 3 and insert. So one of them
 * fails with 40001, and we try again. Nobody waits. But some work runs twice, so the code must be
 * able to repeat the transaction.
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
        // THE CHECK: if two transactions counted the same and inserted, one of them fails.
        { isolationLevel: 'serializable' },
      ),
    ),
};

const isSerializationFailure = (error: unknown) =>
  databaseError(error)?.code === SQLSTATE.serializationFailure;

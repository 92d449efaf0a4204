import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const MOST_TRIES = 12;

/** Right: PostgreSQL finds the conflict, and the claim is tried again, but not for ever. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(
        async (tx): Promise<Outcome> => {
          const decision = await countClaims(tx, request);
          if (decision.kind !== 'granted') return decision;
          const claim = await insertClaim(tx, request);
          return { kind: 'claimed', claim, slots: decision.slots };
        },
        { isolationLevel: 'serializable' },
      );
    } catch (error) {
      const isConflict = databaseError(error)?.code === SQLSTATE.serializationFailure;
      if (!isConflict || tries === MOST_TRIES) throw error;
    }
  }
};

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** If n recruiters claim at once, n - 1 of them may fail each time. */
const TRIES = 10;

/** Tries a transaction again after a conflict. Gives up after `TRIES` attempts. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      return await tryOnce(db, request);
    } catch (error) {
      if (databaseError(error)?.code !== SQLSTATE.serializationFailure) throw error;
    }
  }
  return { kind: 'busy' };
}

const tryOnce = (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(
    async (tx) => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    },
    { isolationLevel: 'serializable' },
  );

import { insertClaim } from 'rowlock/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/db/sqlstate.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** If n recruiters claim at once, n - 1 of them may fail each time. */
const TRIES = 10;

/** A transaction that fails with a conflict is tried again. The tries have a bound. */
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

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Takes no lock. PostgreSQL searches for conflicts, and lets one of two transactions fail. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> => tryOnce(db, request);

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

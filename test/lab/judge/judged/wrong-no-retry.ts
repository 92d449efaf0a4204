import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: the isolation level is serializable, but the code never tries again. A recruiter is turned
 * away while a slot is free.
 */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(
    async (tx) => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    },
    { isolationLevel: 'serializable' },
  );

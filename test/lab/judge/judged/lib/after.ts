import type { SQL } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Claims in a transaction. First runs the given statement, which should lock. Then counts and
 * inserts.
 */
export const after =
  (lock: (request: ClaimRequest) => SQL) =>
  (db: Database, request: ClaimRequest): Promise<Outcome> =>
    db.transaction(async (tx) => {
      await tx.execute(lock(request));
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    });

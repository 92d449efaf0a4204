import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Wrong: it counts before it inserts, and nobody waits. Oversells. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(db, request);
  return { kind: 'claimed', claim, slots: decision.slots };
};

import { insertClaim } from 'rowlock/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Wrong: it counts before it inserts, and nobody waits. Oversells. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(db, request);
  return { kind: 'claimed', claim, slots: decision.slots };
};

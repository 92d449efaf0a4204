import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Wrong: it throws an error instead of an answer. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const decision = await countClaims(db, request);
  if (decision.kind === 'granted') throw new Error('nobody wrote this part');
  return decision;
};

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Wrong: it throws an error instead of an answer. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const decision = await countClaims(db, request);
  if (decision.kind === 'granted') throw new Error('nobody wrote this part');
  return decision;
};

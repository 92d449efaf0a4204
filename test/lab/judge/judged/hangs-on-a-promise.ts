import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Hangs: it awaits a promise that never resolves. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  await countClaims(db, request);
  return new Promise(() => undefined);
};

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Hangs: it awaits a promise that never resolves. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  await countClaims(db, request);
  return new Promise(() => undefined);
};

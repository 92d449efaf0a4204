import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Hangs: it waits for something that never comes. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  await countClaims(db, request);
  return new Promise(() => undefined);
};

import type { ClaimRequest } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Hangs: the loop never ends, and no other code can run. */
export default async (db: Database, request: ClaimRequest): Promise<never> => {
  await countClaims(db, request);
  for (;;);
};

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest } from 'rowlock/service/claims/rules.ts';

/** Hangs: the loop never ends, and no other code can run. */
export default async (db: Database, request: ClaimRequest): Promise<never> => {
  await countClaims(db, request);
  for (;;);
};

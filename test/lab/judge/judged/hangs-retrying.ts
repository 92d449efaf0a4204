import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest } from 'rowlock/service/claims/rules.ts';

/** Hangs: it repeats the SELECT for ever. */
export default async (db: Database, request: ClaimRequest): Promise<never> => {
  for (;;) await countClaims(db, request);
};

import type { ClaimRequest } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** Hangs: it tries again for ever. */
export default async (db: Database, request: ClaimRequest): Promise<never> => {
  for (;;) await countClaims(db, request);
};

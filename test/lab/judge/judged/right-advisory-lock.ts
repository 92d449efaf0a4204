import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { inTurn } from './lib/in-turn.ts';

/** Right: it holds an advisory lock until the commit. The lock is in another file. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  inTurn(db, sql`${request.jobId}::bigint`, async (tx) => {
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });

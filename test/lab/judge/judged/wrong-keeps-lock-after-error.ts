import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Wrong: after an error, nobody releases the lock of the session. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const key = sql`${request.jobId}::bigint`;
  await db.execute(sql`select pg_advisory_lock(${key})`);
  const outcome = await db.transaction(async (tx): Promise<Outcome> => {
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
  await db.execute(sql`select pg_advisory_unlock(${key})`);
  return outcome;
};

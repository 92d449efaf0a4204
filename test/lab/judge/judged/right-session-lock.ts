import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Right on one connection: after an error, it releases the lock of the session too. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const key = sql`${request.jobId}::bigint`;
  await db.execute(sql`select pg_advisory_lock(${key})`);
  try {
    return await db.transaction(async (tx): Promise<Outcome> => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    });
  } finally {
    await db.execute(sql`select pg_advisory_unlock(${key})`);
  }
};

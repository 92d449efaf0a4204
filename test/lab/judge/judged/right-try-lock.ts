import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Right: it tries to get the lock, and tries again after a pause. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  for (;;) {
    const outcome = await db.transaction(async (tx): Promise<Outcome | undefined> => {
      const [row] = await tx.execute<{ is_ours: boolean }>(
        sql`select pg_try_advisory_xact_lock(${request.jobId}::bigint) as is_ours`,
      );
      if (!row?.is_ours) return undefined;
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    });
    if (outcome) return outcome;
    await setTimeout(20);
  }
};

import { eq, sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

const isConflict = (error: unknown) => databaseError(error)?.code === SQLSTATE.serializationFailure;

/**
 * Right: it counts in a REPEATABLE READ snapshot before any lock. But each claim also writes the
 * job's row, so a claim with an old snapshot fails with 40001, and is tried again.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return retryOn(isConflict, () =>
    db.transaction(
      async (tx) => {
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        await tx
          .update(jobs)
          .set({ capacity: sql`${jobs.capacity}` })
          .where(eq(jobs.id, request.jobId));
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      },
      { isolationLevel: 'repeatable read' },
    ),
  );
}

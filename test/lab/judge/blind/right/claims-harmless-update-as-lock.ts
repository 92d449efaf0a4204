import { eq, sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Right: the lock is an UPDATE of the job's row that changes nothing. The next claim waits for the
 * commit, and counts in a later statement.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [job] = await tx
      .update(jobs)
      .set({ capacity: sql`${jobs.capacity}` })
      .where(eq(jobs.id, request.jobId))
      .returning({ id: jobs.id });
    if (!job) return { kind: 'no-such-job' };
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

import { asc, eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/** The usual length of a list in our API. */
const PAGE = 10;

/**
 * Wrong: it counts the claims on the first page of the list. A job with more than ten slots is never
 * full, and a holder on the second page is not found.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };
    const claims = await tx
      .select()
      .from(jobClaims)
      .where(eq(jobClaims.jobId, request.jobId))
      .orderBy(asc(jobClaims.id))
      .limit(PAGE);
    const recruiters = new Set(claims.map(({ recruiterId }) => recruiterId));
    const decision = decide(job, asSeenBy(request.recruiterId, { recruiters }));
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

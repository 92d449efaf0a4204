import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it counts only claims without a lease. A claim whose lease still runs takes no slot, so the
 * job gets too many claims.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };
    const ofJob = eq(jobClaims.jobId, request.jobId);
    const claimed = await tx.$count(jobClaims, and(ofJob, isNull(jobClaims.expiresAt)));
    const mine = await tx.$count(
      jobClaims,
      and(ofJob, eq(jobClaims.recruiterId, request.recruiterId)),
    );
    const decision = decide(job, { claimed, held: mine > 0 });
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

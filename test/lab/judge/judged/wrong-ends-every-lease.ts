import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/** Wrong: a claim takes the lease away from each claim of the job, so nobody's claim ends any more. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    await tx.update(jobClaims).set({ expiresAt: null }).where(eq(jobClaims.jobId, request.jobId));
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });

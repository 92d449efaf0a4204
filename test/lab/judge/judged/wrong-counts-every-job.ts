import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/** Wrong: the lock is right, but the count has no WHERE. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };
    const holders = (await tx.select().from(jobClaims)).map(({ recruiterId }) => recruiterId);
    const held = holders.includes(request.recruiterId);
    const decision = decide(job, { claimed: holders.length, held });
    if (decision.kind !== 'granted') return decision;
    return { kind: 'claimed', claim: await insertClaim(tx, request), slots: decision.slots };
  });

import { count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../src/platform/db/client.ts';
import { type ClaimRequest, decide, type Outcome } from '../../../src/service/claims/rules.ts';
import { jobClaims, jobs } from '../../../src/service/database/schema.ts';

/**
 * The claim as it was first written. This code never changes, so today's claim can be compared with
 * the first claim.
 */
export const firstClaim = (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const { jobId, recruiterId } = request;
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };
    const held = sql<boolean>`coalesce(bool_or(${jobClaims.recruiterId} = ${recruiterId}), false)`;
    const [holders] = await tx
      .select({ claimed: count(), held: held.as('held') })
      .from(jobClaims)
      .where(eq(jobClaims.jobId, jobId));
    const decision = decide(job, holders ?? { claimed: 0, held: false });
    if (decision.kind !== 'granted') return decision;
    const [claim] = await tx.insert(jobClaims).values({ jobId, recruiterId }).returning();
    if (!claim) throw new Error('INSERT … RETURNING gave no row');
    return { kind: 'claimed', claim, slots: decision.slots };
  });

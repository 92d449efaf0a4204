import { eq } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { jobClaims, jobs } from '../db/schema.ts';
import { insertClaim } from './insert-claim.ts';
import { type ClaimRequest, decide, type Outcome } from './rules.ts';

/**
 * Claims one slot of a job for a recruiter. However many ask at the same moment, on however many
 * servers, a job never gets more holders than its capacity.
 *
 * Throws what the database throws; `settle` turns the expected ones into outcomes.
 */
export async function claimJob(
  db: Database,
  { jobId, recruiterId }: ClaimRequest,
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // THE LOCK: the next claimer of this job waits here until we commit or roll back.
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };

    // A statement of its own: its snapshot is taken after the lock was granted, so it sees every
    // claim that an earlier holder of the lock has committed.
    const holders = await tx
      .select({ recruiterId: jobClaims.recruiterId })
      .from(jobClaims)
      .where(eq(jobClaims.jobId, jobId));

    const decision = decide(job, holders, recruiterId);
    if (decision.kind !== 'granted') return decision;

    const claim = await insertClaim(tx, { jobId, recruiterId });
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

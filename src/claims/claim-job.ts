import { eq } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { countHolders, insertClaim } from './queries.ts';
import { type ClaimRequest, decide, type Outcome } from './rules.ts';

/**
 * Claims one slot of a job for a recruiter. However many ask at the same moment, on however many
 * servers, a job never gets more holders than its capacity.
 *
 * Throws what the database throws; `settle` turns the expected errors into outcomes.
 */
export async function claimJob(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // THE LOCK: the next claimer of this job waits here until we commit or roll back.
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };

    // A statement of its own, after the lock was granted: only now does its snapshot contain
    // every claim that the earlier holders of the lock have committed.
    const decision = decide(job, await countHolders(tx, request));
    if (decision.kind !== 'granted') return decision;

    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

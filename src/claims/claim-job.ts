import { asc } from 'drizzle-orm';
import { anyOf } from '../db/arrays.ts';
import type { Database, Transaction } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { holdersOf, insertClaim, removeExpired } from './queries.ts';
import { asSeenBy, type ClaimRequest, decide, noHolders, type Outcome } from './rules.ts';

/**
 * Claims one slot of a job for a recruiter. However many ask at the same moment, on however many
 * servers, a job never gets more holders than its capacity.
 *
 * Throws what the database throws; `settle` turns the expected errors into outcomes.
 */
export const claimJob = (db: Database | Transaction, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const { jobId, recruiterId } = request;
    const job = (await lockJobs(tx, [jobId])).get(jobId);
    if (!job) return { kind: 'no-such-job' };
    // A statement of its own, after the lock was granted: only now does its snapshot contain every
    // claim that the earlier holders of the lock have committed.
    const holders = (await holdersOf(tx, [jobId])).get(jobId) ?? noHolders();
    const decision = decide(job, asSeenBy(recruiterId, holders));
    if (decision.kind !== 'granted') return decision;
    if (holders.expired) await removeExpired(tx, [jobId]);
    return { kind: 'claimed', claim: await insertClaim(tx, request), slots: decision.slots };
  });

/** THE LOCK: whoever wants one of these jobs next waits here until we commit or roll back. */
export async function lockJobs(tx: Transaction, ids: bigint[], { skipLocked = false } = {}) {
  const rows = await tx
    .select({ id: jobs.id, capacity: jobs.capacity })
    .from(jobs)
    .where(anyOf(jobs.id, ids))
    // All take their locks in this order, so no two wait for one another.
    .orderBy(asc(jobs.id))
    .for('update', skipLocked ? { skipLocked } : {});
  return new Map(rows.map((job) => [job.id, job]));
}

import { eq } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { insertClaim, readHolders, removeExpired } from './queries.ts';
import { type ClaimRequest, decide, type Outcome } from './rules.ts';

/**
 * Claims one slot of a job for a recruiter. However many ask at the same moment, on however many
 * servers, a job never gets more holders than its capacity.
 *
 * Throws what the database throws; `settle` turns the expected errors into outcomes.
 */
export async function claimJob(
  db: Database | Transaction,
  request: ClaimRequest,
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const job = await lockJob(tx, request.jobId);
    if (!job) return { kind: 'no-such-job' };

    // A statement of its own, after the lock was granted: only now does its snapshot contain
    // every claim that the earlier holders of the lock have committed.
    const holders = await readHolders(tx, request);
    const decision = decide(job, holders);
    if (decision.kind !== 'granted') return decision;

    if (holders.expired > 0) await removeExpired(tx, request.jobId);
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

/** THE LOCK: the next one who wants this job waits here until we commit or roll back. */
export async function lockJob(tx: Transaction, jobId: bigint) {
  const [job] = await tx.select().from(jobs).where(eq(jobs.id, jobId)).for('update');
  return job;
}

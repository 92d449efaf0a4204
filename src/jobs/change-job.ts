import { eq } from 'drizzle-orm';
import { lockJobs } from '../claims/claim-job.ts';
import type { Slots } from '../claims/rules.ts';
import type { Database, Transaction } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { findJob, type Job } from './queries.ts';

export interface JobChange {
  role?: string | undefined;
  capacity?: number | undefined;
}

export type JobOutcome =
  | { kind: 'changed'; job: Job }
  | { kind: 'capacity-too-low'; requested: number; slots: Slots }
  | { kind: 'not-theirs' }
  | { kind: 'no-such-job' };

/**
 * Changes a job's role or capacity. Under the same lock as a claim: otherwise a claim that has just
 * counted against the old capacity could fill a slot that this takes away.
 */
export const changeJob = (
  db: Database | Transaction,
  id: bigint,
  change: JobChange,
  mayChange: (companyId: bigint) => boolean,
): Promise<JobOutcome> =>
  db.transaction(async (tx) => {
    // A job never moves to another company, so nobody takes the lock of a job that is not theirs.
    const found = await findJob(tx, id);
    if (!found) return { kind: 'no-such-job' };
    if (!mayChange(found.company.id)) return { kind: 'not-theirs' };
    await lockJobs(tx, [id]);
    const before = await findJob(tx, id);
    if (!before) return { kind: 'no-such-job' };
    const { capacity } = change;
    if (capacity !== undefined && capacity < before.slots.claimed)
      return { kind: 'capacity-too-low', requested: capacity, slots: before.slots };
    await tx.update(jobs).set(change).where(eq(jobs.id, id));
    const job = await findJob(tx, id);
    if (!job) throw new Error('a locked job is gone');
    return { kind: 'changed', job };
  });

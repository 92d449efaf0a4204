import { eq } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { type ResizeOutcome, resizeJob } from '../claims/claim.ts';
import { jobs } from '../database/schema.ts';
import { findJob, type Job } from './queries.ts';

export interface JobChange {
  role?: string | undefined;
  capacity?: number | undefined;
}

export type JobOutcome =
  | { kind: 'changed'; job: Job }
  | Exclude<ResizeOutcome, { kind: 'resized' }>
  | { kind: 'not-theirs' };

/** Changes a job's role or capacity, or both. */
export const changeJob = (
  db: Database | Transaction,
  id: bigint,
  { role, capacity }: JobChange,
  mayChange: (companyId: bigint) => boolean,
): Promise<JobOutcome> =>
  db.transaction(async (tx) => {
    // No request changes the company of a job, so we check the company before we lock the job.
    const found = await findJob(tx, id);
    if (!found) return { kind: 'no-such-job' };
    if (!mayChange(found.company.id)) return { kind: 'not-theirs' };
    if (capacity !== undefined) {
      const outcome = await resizeJob(tx, id, capacity);
      if (outcome.kind !== 'resized') return outcome;
    }
    if (role !== undefined) await tx.update(jobs).set({ role }).where(eq(jobs.id, id));
    const job = await findJob(tx, id);
    return job ? { kind: 'changed', job } : { kind: 'no-such-job' };
  });

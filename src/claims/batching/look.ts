import { sql } from 'drizzle-orm';
import { anyOf, idsIn } from '../../db/arrays.ts';
import type { Database } from '../../db/client.ts';
import { jobClaims, jobs } from '../../db/schema.ts';
import { isLive } from '../queries.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from '../rules.ts';

/**
 * Refuses claims without a lock. One statement reads all jobs in one snapshot, which begins after the
 * requests came. So a refusal is true: while its request was waiting, the job was full, or held by
 * this recruiter, or not there. Gives undefined if a slot is free: the lock decides who gets the slot.
 */
export async function lookForRefusals(
  db: Database,
  requests: ClaimRequest[],
): Promise<(Outcome | undefined)[]> {
  const ids = [...new Set(requests.map(({ jobId }) => jobId))];
  // One row for each job. One row for each claim took three times as long to read.
  const holders = db
    .select({ ids: sql`array_agg(${jobClaims.recruiterId})` })
    .from(jobClaims)
    .where(sql`${jobClaims.jobId} = ${jobs.id} and ${isLive}`);
  const rows = await db
    .select({ id: jobs.id, capacity: jobs.capacity, recruiters: sql<string | null>`(${holders})` })
    .from(jobs)
    .where(anyOf(jobs.id, ids));
  const seen = new Map(
    rows.map(({ id, capacity, recruiters }) => [
      id,
      { capacity, recruiters: new Set(idsIn(recruiters)) },
    ]),
  );
  return requests.map(({ jobId, recruiterId }) => {
    const job = seen.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, asSeenBy(recruiterId, job));
    return decision.kind === 'granted' ? undefined : decision;
  });
}

import { sql } from 'drizzle-orm';
import { anyOf } from '../db/arrays.ts';
import type { Database } from '../db/client.ts';
import { jobClaims, jobs } from '../db/schema.ts';
import { isLive } from './queries.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from './rules.ts';

/**
 * The outcomes that need no lock: a job that is full, or held by this recruiter, or not there, in
 * a snapshot that began after the request came, was so when it was asked for. Undefined where a
 * slot is free: who gets that is for the lock to say. One statement, so one snapshot.
 */
export async function lookForRefusals(
  db: Database,
  requests: ClaimRequest[],
): Promise<(Outcome | undefined)[]> {
  const ids = [...new Set(requests.map(({ jobId }) => jobId))];
  const rows = await db
    .select({ id: jobs.id, capacity: jobs.capacity, recruiterId: jobClaims.recruiterId })
    .from(jobs)
    .leftJoin(jobClaims, sql`${jobClaims.jobId} = ${jobs.id} and ${isLive}`)
    .where(anyOf(jobs.id, ids));
  const seen = new Map<bigint, { capacity: number; recruiters: Set<bigint> }>();
  for (const { id, capacity, recruiterId } of rows) {
    const job = seen.get(id) ?? { capacity, recruiters: new Set() };
    if (recruiterId !== null) job.recruiters.add(recruiterId);
    seen.set(id, job);
  }
  return requests.map(({ jobId, recruiterId }) => {
    const job = seen.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, asSeenBy(recruiterId, job));
    return decision.kind === 'granted' ? undefined : decision;
  });
}

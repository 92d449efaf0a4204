import { sql } from 'drizzle-orm';
import { anyOf, idsIn } from '../../db/arrays.ts';
import type { Database } from '../../db/client.ts';
import { jobClaims, jobs } from '../../db/schema.ts';
import { isLive } from '../queries.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from '../rules.ts';

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
  // A row a job: a row a claim took three times as long to read.
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

import { sql } from 'drizzle-orm';
import { anyOf, idsIn } from '../../db/arrays.ts';
import type { Database } from '../../db/client.ts';
import { jobClaims, jobs } from '../../db/schema.ts';
import { isLive } from '../queries.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from '../rules.ts';

/**
 * Finds claims to refuse. Takes no lock. One statement reads all jobs in one snapshot. The snapshot
 * is taken after the requests have come, so each refusal is true: at the time of the snapshot, the
 * job was full, or this recruiter held the job, or the job did not exist. The result is undefined
 * if a slot is free, because the lock decides who gets the slot.
 */
export async function lookForRefusals(
  db: Database,
  requests: ClaimRequest[],
): Promise<(Outcome | undefined)[]> {
  const ids = [...new Set(requests.map(({ jobId }) => jobId))];
  // The statement returns one row for each job. Reading one row for each claim took three times as
  // long.
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

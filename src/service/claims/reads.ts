import { and, asc, eq, gt, lt, sql } from 'drizzle-orm';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Database } from '../../platform/db/client.ts';
import { isLive, jobClaims, jobs } from '../database/schema.ts';
import { foundClaim } from './queries.ts';
import { type FoundClaim, type Slots, slotsOf } from './rules.ts';

/** The number of live claims of a job, for queries that select from `jobs`. */
export const claimedOfJob = sql<number>`(select count(*)::int from ${jobClaims} where ${and(eq(jobClaims.jobId, jobs.id), isLive)})`;

/**
 * True if the job of the row has a free slot. This is `isSlotFree` in SQL. A test compares
 * both definitions.
 */
export const isOpen = lt(claimedOfJob, jobs.capacity);

/** The slots of a job, and the company that may see who holds them. */
export interface JobSlots {
  companyId: bigint;
  slots: Slots;
}

export async function findJobSlots(db: Database, jobId: bigint): Promise<JobSlots | undefined> {
  const [job] = await db
    .select({
      companyId: jobs.companyId,
      capacity: jobs.capacity,
      claimed: claimedOfJob.as('claimed'),
    })
    .from(jobs)
    .where(eq(jobs.id, jobId));
  return job && { companyId: job.companyId, slots: slotsOf(job.capacity, job.claimed) };
}

/**
 * Lists at most `limit` live claims of a job or of a recruiter, in the order of their ids, after
 * the cursor. With `jobIds`, lists only claims of these jobs.
 */
export const listClaims = (
  db: Database,
  of: { jobId: bigint } | { recruiterId: bigint; jobIds?: bigint[] | undefined },
  { cursor = 0n, limit }: { cursor?: bigint; limit: number },
): Promise<FoundClaim[]> =>
  db
    .select(foundClaim)
    .from(jobClaims)
    .where(
      and(
        'jobId' in of ? eq(jobClaims.jobId, of.jobId) : eq(jobClaims.recruiterId, of.recruiterId),
        'jobIds' in of && of.jobIds ? anyOf(jobClaims.jobId, of.jobIds) : undefined,
        isLive,
        gt(jobClaims.id, cursor),
      ),
    )
    .orderBy(asc(jobClaims.id))
    .limit(limit);

import { sql } from 'drizzle-orm';
import { anyOf } from '../../db/arrays.ts';
import type { Transaction } from '../../db/client.ts';
import { jobClaims, jobs, recruiters } from '../../db/schema.ts';
import { byJob, isExpired } from '../queries.ts';
import type { ClaimRequest } from '../rules.ts';

/**
 * The holders of these jobs, and the recruiters who exist: one statement, so one round trip. A claim
 * by a recruiter who does not exist would fail the INSERT of the whole batch.
 *
 * The recruiters' rows are locked as the foreign key locks them, so they stay until the claims are
 * inserted. A row that somebody else is deleting counts as absent: nobody waits for it here.
 */
export async function readForClaims(
  tx: Transaction,
  locked: ReadonlyMap<bigint, unknown>,
  requests: ClaimRequest[],
) {
  const jobIds = [...locked.keys()];
  const open = requests.filter(({ jobId }) => locked.has(jobId));
  const recruiterIds = [...new Set(open.map(({ recruiterId }) => recruiterId))];
  const rows = await tx.execute<HolderOrRecruiter>(sql`
    with present as (
      select id from ${recruiters} where ${anyOf(recruiters.id, recruiterIds)}
      for key share skip locked)
    select job_id, recruiter_id, ${isExpired} as expired
    from ${jobClaims} where ${anyOf(jobClaims.jobId, jobIds)}
    union all select null, id, null from present`);
  const claims = rows.flatMap(({ job_id, recruiter_id, expired }) =>
    job_id === null ? [] : [{ jobId: BigInt(job_id), recruiterId: BigInt(recruiter_id), expired }],
  );
  const present = rows.filter(({ job_id }) => job_id === null);
  return {
    holders: byJob(jobIds, claims),
    recruiters: new Set(present.map(({ recruiter_id }) => BigInt(recruiter_id))),
  };
}

/** A row as the driver gives it: a holder, or without a job a recruiter who exists. */
type HolderOrRecruiter = {
  job_id: string | null;
  recruiter_id: string;
  expired: boolean | null;
};

/** The recruiters who exist, locked or not. Without requests, no statement is sent. */
export async function recruitersThatExist(
  tx: Transaction,
  requests: ClaimRequest[],
): Promise<Set<bigint>> {
  if (requests.length === 0) return new Set();
  const ids = requests.map(({ recruiterId }) => recruiterId);
  const rows = await tx
    .select({ id: recruiters.id })
    .from(recruiters)
    .where(anyOf(recruiters.id, ids));
  return new Set(rows.map(({ id }) => id));
}

/** Which of these jobs exist, locked by somebody or not. */
export async function jobsThatExist(tx: Transaction, ids: bigint[]): Promise<Set<bigint>> {
  const rows = await tx.select({ id: jobs.id }).from(jobs).where(anyOf(jobs.id, ids));
  return new Set(rows.map(({ id }) => id));
}

import { and, asc, eq, gt, lt, lte, type SQL, sql } from 'drizzle-orm';
import { anyOf, arrayOf } from '../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { isLive, jobClaims, jobs, recruiters } from '../database/schema.ts';
import {
  asSeenBy,
  type Claim,
  type ClaimRequest,
  type HeldJob,
  type Holders,
  type Slots,
  slotsOf,
} from './rules.ts';

const isExpired = lte(jobClaims.expiresAt, NOW);

const endOfLease = (seconds: SQL) => sql`${NOW} + make_interval(secs => ${seconds})`;

/**
 * Reads the holders of the locked jobs. Also finds which recruiters of `recruiterIds` exist. One
 * statement reads both, to save a round trip. We must know the existing recruiters, because one
 * unknown recruiter would make the INSERT of a whole batch fail.
 *
 * The statement locks the recruiters FOR KEY SHARE, as the foreign key does. So nobody can delete
 * these recruiters before the claims are inserted. The statement does not wait for locks. A
 * recruiter whom another session is deleting counts as absent.
 */
export async function readHeldJobs(
  tx: Transaction,
  locked: { id: bigint; capacity: number }[],
  recruiterIds: bigint[],
) {
  if (locked.length === 0)
    return { jobs: new Map<bigint, HeldJob>(), recruiters: new Set<bigint>() };
  const jobIds = locked.map(({ id }) => id);
  const rows = await tx.execute<HolderOrRecruiter>(sql`
    with present as (
      select id from ${recruiters} where ${anyOf(recruiters.id, recruiterIds)}
      for key share skip locked)
    select job_id, recruiter_id, ${isExpired} as expired
    from ${jobClaims} where ${anyOf(jobClaims.jobId, jobIds)}
    union all select null, id, null from present`);
  const held = new Map<bigint, HeldJob>(
    locked.map(({ id, capacity }) => [id, { capacity, recruiters: new Set(), expired: false }]),
  );
  const present = new Set<bigint>();
  for (const { job_id, recruiter_id, expired } of rows) {
    const recruiterId = BigInt(recruiter_id);
    const job = job_id === null ? undefined : held.get(BigInt(job_id));
    if (!job) present.add(recruiterId);
    else if (expired) job.expired = true;
    else job.recruiters.add(recruiterId);
  }
  return { jobs: held, recruiters: present };
}

/**
 * A row as the driver returns it. With a job id, the row is a claim of that job. Without a job id,
 * the row is a recruiter who exists.
 */
type HolderOrRecruiter = {
  job_id: string | null;
  recruiter_id: string;
  /** Null for a claim without a lease, and for a recruiter. */
  expired: boolean | null;
};

/** Reads how many live claims the job has, and whether one of them belongs to this recruiter. */
export async function readHolders(
  db: Database | Transaction,
  { jobId, recruiterId }: Pick<ClaimRequest, 'jobId' | 'recruiterId'>,
): Promise<Holders> {
  const rows = await db
    .select({ recruiterId: jobClaims.recruiterId })
    .from(jobClaims)
    .where(and(eq(jobClaims.jobId, jobId), isLive));
  return asSeenBy(recruiterId, { recruiters: new Set(rows.map((row) => row.recruiterId)) });
}

/**
 * Inserts the claim without any check. The caller must already know that the recruiter may have a
 * slot.
 */
export async function insertClaim(
  db: Database | Transaction,
  { jobId, recruiterId, leaseSeconds }: ClaimRequest,
): Promise<Claim> {
  const expiresAt = leaseSeconds === undefined ? null : endOfLease(sql`${leaseSeconds}`);
  const [claim] = await db.insert(jobClaims).values({ jobId, recruiterId, expiresAt }).returning();
  if (!claim) throw new Error('INSERT … RETURNING gave no row');
  return claim;
}

/**
 * Inserts claims, and returns them in the order of the requests. Each column is one array
 * parameter, so the statement is the same for any number of claims. A VALUES list made by Drizzle
 * is slower. With 30 rows, the list took 8 % of the server's time. Each number of rows also needed
 * its own plan.
 */
export async function insertClaims(tx: Transaction, requests: ClaimRequest[]): Promise<Claim[]> {
  if (requests.length === 0) return [];
  const [first, ...more] = requests;
  if (first && more.length === 0) return [await insertClaim(tx, first)];
  const rows = await tx.execute<ClaimRow>(sql`
    insert into ${jobClaims} (job_id, recruiter_id, expires_at)
    select job_id, recruiter_id, ${endOfLease(sql`seconds`)}
    from unnest(${arrayOf(requests.map((each) => each.jobId))}::bigint[],
      ${arrayOf(requests.map((each) => each.recruiterId))}::bigint[],
      ${arrayOf(requests.map((each) => each.leaseSeconds ?? null))}::integer[]
    ) as request (job_id, recruiter_id, seconds)
    returning *`);
  // The caller matches claims to requests by their position. In a wrong order, a recruiter would get
  // the claim of another recruiter.
  for (const [index, { job_id, recruiter_id }] of rows.entries()) {
    const request = requests[index];
    if (request?.jobId !== BigInt(job_id) || request.recruiterId !== BigInt(recruiter_id))
      throw new Error('INSERT … RETURNING gave the claims in another order');
  }
  return rows.map((row) => ({
    id: BigInt(row.id),
    jobId: BigInt(row.job_id),
    recruiterId: BigInt(row.recruiter_id),
    createdAt: new Date(row.created_at),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  }));
}

/** A row as the driver returns it. */
type ClaimRow = Record<'id' | 'job_id' | 'recruiter_id' | 'created_at', string> & {
  expires_at: string | null;
};

/**
 * Removes and returns expired claims of these jobs. With `ids`, removes only claims with one of
 * these ids.
 */
export const removeExpired = (
  tx: Transaction,
  jobIds: bigint[],
  ids?: bigint[],
): Promise<Claim[]> =>
  tx
    .delete(jobClaims)
    .where(and(anyOf(jobClaims.jobId, jobIds), ids && anyOf(jobClaims.id, ids), isExpired))
    .returning();

/**
 * Locks up to `limit` expired claims and their jobs, and returns the claims in the order of their
 * expiry. Skips a claim if another session has locked the claim or its job, so the statement never
 * waits. One statement locks both claims and jobs. If a second statement locked the jobs, it would
 * skip the locked jobs, and their claims would drop out. The caller would then get fewer claims
 * than `limit`, and would stop too early.
 */
export const lockExpired = (
  tx: Transaction,
  limit: number,
): Promise<Pick<Claim, 'id' | 'jobId'>[]> =>
  tx
    .select({ id: jobClaims.id, jobId: jobClaims.jobId })
    .from(jobClaims)
    .innerJoin(jobs, eq(jobs.id, jobClaims.jobId))
    .where(isExpired)
    .orderBy(asc(jobClaims.expiresAt))
    .limit(limit)
    .for('update', { skipLocked: true });

/** Finds a live claim. If a recruiter is given, the claim must belong to this recruiter. */
export async function findClaim(
  db: Database | Transaction,
  id: bigint,
  recruiterId?: bigint,
): Promise<Claim | undefined> {
  const [claim] = await db.select().from(jobClaims).where(isThis(id, recruiterId));
  return claim;
}

/** Deletes and returns a live claim. Returns an empty list if there is no such live claim. */
export const deleteClaim = (tx: Transaction, id: bigint): Promise<Claim[]> =>
  tx.delete(jobClaims).where(isThis(id)).returning();

/**
 * Sets the end of a live claim's lease to `leaseSeconds` from now, and returns the claim. Returns
 * an empty list if there is no such live claim.
 */
export const extendLease = (tx: Transaction, id: bigint, leaseSeconds: number): Promise<Claim[]> =>
  tx
    .update(jobClaims)
    .set({ expiresAt: endOfLease(sql`${leaseSeconds}`) })
    .where(isThis(id))
    .returning();

export const setCapacity = async (tx: Transaction, jobId: bigint, capacity: number) => {
  await tx.update(jobs).set({ capacity }).where(eq(jobs.id, jobId));
};

const isThis = (id: bigint, recruiterId?: bigint) =>
  and(
    eq(jobClaims.id, id),
    isLive,
    recruiterId === undefined ? undefined : eq(jobClaims.recruiterId, recruiterId),
  );

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
): Promise<Claim[]> =>
  db
    .select()
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

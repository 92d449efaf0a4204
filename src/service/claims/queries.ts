import { and, asc, eq, getTableColumns, isNotNull, lte, type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../../platform/db/array-text.ts';
import { anyOf, arrayIn } from '../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { compiled, compiledForGrowth } from '../../platform/db/compiled.ts';
import {
  isLive,
  isOffer,
  isOfferNow,
  jobClaims,
  jobs,
  recruiters,
  waitlist,
} from '../database/schema.ts';
import { events } from '../outbox/tables.ts';
import {
  asSeenBy,
  type Claim,
  type ClaimRequest,
  type FoundClaim,
  type HeldJob,
  type Holders,
} from './rules.ts';

const isExpired = lte(jobClaims.expiresAt, NOW);

/** The columns of a claim that was read. */
export const foundClaim = { ...getTableColumns(jobClaims), isOffer };

const endOfLease = (seconds: SQL) => sql`${NOW} + make_interval(secs => ${seconds})`;

/** How many claims this process has granted. The tables have grown by at least this number. */
let granted = 0;
/** Compiles a statement of a claim. */
export const compiledForClaims = <Values extends Record<string, unknown>>(statement: SQL) =>
  compiledForGrowth<Values>(statement, () => granted);

/** The holders of some jobs, and the ids of the recruiters who exist. */
export interface Holding {
  holders: Map<bigint, Omit<HeldJob, 'capacity'>>;
  present: Set<bigint>;
}

/**
 * The text must begin with `select`. Only then is it sent before BEGIN is answered. OFFSET 0 keeps the
 * subquery apart, so PostgreSQL looks up each job in the index. A join would read the whole table
 * of claims while it is small. A row with a job and no recruiter says that the job has a line.
 */
const READ_HOLDING = compiledForClaims<{ jobs: string; recruiters: string }>(sql`
  select job_id, recruiter_id, expired
  from unnest(${arrayIn('jobs', 'bigint')}) as wanted (id) cross join lateral (
    (select job_id, recruiter_id, ${isExpired} as expired
    from ${jobClaims} where job_id = wanted.id offset 0)
    union all
    (select job_id, null, null from ${waitlist}
    where job_id = wanted.id and claim_id is null limit 1)) as held
  union all select null, id, null from (
    select id from ${recruiters} where id = any(${arrayIn('recruiters', 'bigint')})
    for key share skip locked) as present`);

/**
 * Reads the holders of jobs. Also finds which recruiters of `recruiterIds` exist. One statement
 * reads both, to save a round trip. We must know the existing recruiters, because one unknown
 * recruiter would make the INSERT of a whole batch fail.
 *
 * The statement locks the recruiters FOR KEY SHARE, as the foreign key does. So nobody can delete
 * these recruiters before the claims are inserted. The statement does not wait for locks. A
 * recruiter whom another session is deleting counts as absent. The statement is sent before we know
 * which jobs are locked, so it also locks recruiters whose claims are refused.
 */
export async function readHolding(
  tx: Transaction,
  jobIds: bigint[],
  recruiterIds: bigint[],
): Promise<Holding> {
  const rows = await tx.execute<HolderOrRecruiter>(
    READ_HOLDING({ jobs: arrayOf(jobIds), recruiters: arrayOf(recruiterIds) }),
  );
  const held: Holding = {
    holders: new Map(
      jobIds.map((id) => [id, { recruiters: new Set(), expired: false, hasLine: false }]),
    ),
    present: new Set(),
  };
  for (const { job_id, recruiter_id, expired } of rows) {
    const job = job_id === null ? undefined : held.holders.get(BigInt(job_id));
    if (!job) held.present.add(BigInt(recruiter_id ?? 0));
    else if (recruiter_id === null) job.hasLine = true;
    else if (expired) job.expired = true;
    else job.recruiters.add(BigInt(recruiter_id));
  }
  return held;
}

/**
 * A row as the driver returns it. With a job and a recruiter, the row is a claim. With a job alone,
 * the row says that the job has a line. With a recruiter alone, the row is a recruiter who exists.
 */
type HolderOrRecruiter = {
  job_id: string | null;
  recruiter_id: string | null;
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

/** A claim to insert, under the lock of its job. */
export interface GrantedClaim extends ClaimRequest {
  /** The place of the claim among the claims of its job in this statement, from 1. */
  nth: number;
  /** The number of claims of the job after this claim. */
  claimed: number;
}

type GrantedColumns = Record<'jobs' | 'recruiters' | 'seconds' | 'nth' | 'claimed', string>;

/**
 * Inserts claims together with their events `claimed`. Each column is one array parameter, so the
 * statement is the same for any number of claims. A VALUES list made by Drizzle is slower. With 30
 * rows, the list took 8 % of the server's time. Each number of rows also needed its own plan.
 *
 * A newcomer gets a slot only if nobody waits, so `waiting` of the events is 0. If somebody waits, the
 * trigger refuses claims whose event lacks `waiting`.
 *
 * The statement inserts nothing unless its transaction has an id. The locks of the jobs give the
 * transaction its id. See `commitWithNext`: the driver may send the statement again after COMMIT.
 */
const INSERT_CLAIMS = compiledForClaims<GrantedColumns>(sql`
  with claim as (
    insert into ${jobClaims} (job_id, recruiter_id, expires_at)
    select job_id, recruiter_id, ${endOfLease(sql`seconds`)}
    from unnest(${arrayIn('jobs', 'bigint')}, ${arrayIn('recruiters', 'bigint')},
      ${arrayIn('seconds', 'integer')}) as granted (job_id, recruiter_id, seconds)
    where pg_current_xact_id_if_assigned() is not null
    returning id, job_id, recruiter_id, created_at, expires_at
  ), event as (
    insert into ${events} (job_id, company_id, number, kind, claim_id, recruiter_id, expires_at,
      role, capacity, claimed, waiting)
    select job_id, company_id,
      coalesce((select max(number) from ${events} where job_id = claim.job_id), 0)
        + (${arrayIn('nth', 'integer')})[place],
      'claimed', id, recruiter_id, expires_at, role, capacity,
      (${arrayIn('claimed', 'integer')})[place], 0
    from (select *, row_number() over () as place from claim) as claim cross join lateral (
      select company_id, role, capacity from ${jobs} where id = claim.job_id limit 1) as job
  )
  select * from claim`);

/** Inserts the claims and their events. Returns the claims in the order in which they were given. */
export async function insertClaims(tx: Transaction, claims: GrantedClaim[]): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const rows = await tx.execute<ClaimRow>(
    INSERT_CLAIMS({
      jobs: arrayOf(claims.map(({ jobId }) => jobId)),
      recruiters: arrayOf(claims.map(({ recruiterId }) => recruiterId)),
      seconds: arrayOf(claims.map(({ leaseSeconds }) => leaseSeconds ?? null)),
      nth: arrayOf(claims.map(({ nth }) => nth)),
      claimed: arrayOf(claims.map(({ claimed }) => claimed)),
    }),
  );
  granted += rows.length;
  const byPair = new Map(rows.map((row) => [`${row.job_id} ${row.recruiter_id}`, row]));
  return claims.map(({ jobId, recruiterId }) => {
    const row = byPair.get(`${jobId} ${recruiterId}`);
    if (!row) throw new Error('a claim was inserted outside of its transaction, so it was dropped');
    return claimIn(row);
  });
}

/** A row as the driver returns it. */
type ClaimRow = Record<'id' | 'job_id' | 'recruiter_id' | 'created_at', string> & {
  expires_at: string | null;
};

const claimIn = (row: ClaimRow): Claim => ({
  id: BigInt(row.id),
  jobId: BigInt(row.job_id),
  recruiterId: BigInt(row.recruiter_id),
  createdAt: new Date(row.created_at),
  expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
});

/** How many offers this process has removed after the end of their leases. */
let lapsed = 0;
export const countLapsedOffers = (): number => lapsed;

/**
 * Removes and returns expired claims of these jobs. With `ids`, removes only claims with one of
 * these ids.
 */
export async function removeExpired(
  tx: Transaction,
  jobIds: bigint[],
  ids?: bigint[],
): Promise<FoundClaim[]> {
  const removed = await tx
    .delete(jobClaims)
    .where(and(anyOf(jobClaims.jobId, jobIds), ids && anyOf(jobClaims.id, ids), isExpired))
    .returning(foundClaim);
  lapsed += removed.filter((claim) => claim.isOffer).length;
  return removed;
}

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
): Promise<FoundClaim | undefined> {
  const [claim] = await db.select(foundClaim).from(jobClaims).where(isThis(id, recruiterId));
  return claim;
}

/**
 * The statement deletes nothing unless its transaction has an id. See `INSERT_CLAIMS` for the reason.
 */
const DELETE_CLAIM = compiled<Record<'id' | 'job', string>>(sql`
  delete from ${jobClaims}
  where ${and(eq(jobClaims.id, sql.placeholder('id')), eq(jobClaims.jobId, sql.placeholder('job')), isLive)}
    and pg_current_xact_id_if_assigned() is not null
  returning id, job_id, recruiter_id, created_at, expires_at`);

/** Deletes and returns a live claim. Returns an empty list if there is no such live claim. */
export async function deleteClaim(
  tx: Transaction,
  { id, jobId }: Pick<Claim, 'id' | 'jobId'>,
): Promise<Claim[]> {
  const rows = await tx.execute<ClaimRow>(DELETE_CLAIM({ id: String(id), job: String(jobId) }));
  return rows.map(claimIn);
}

/**
 * Sets the end of a live claim's lease to `leaseSeconds` from now, and returns the claim. Returns an
 * empty list if there is no such live claim, or if the claim has no lease.
 */
export const extendLease = (tx: Transaction, id: bigint, leaseSeconds: number): Promise<Claim[]> =>
  tx
    .update(jobClaims)
    .set({ expiresAt: endOfLease(sql`${leaseSeconds}`) })
    .where(and(isThis(id), isNotNull(jobClaims.expiresAt)))
    .returning();

/**
 * Accepts an offer, and returns the claim. The claim then has a lease of `leaseSeconds`, or none.
 * A trigger ends the row of the line. Returns an empty list if there is no such live offer.
 */
export const acceptClaim = (
  tx: Transaction,
  id: bigint,
  leaseSeconds: number | undefined,
): Promise<Claim[]> =>
  tx
    .update(jobClaims)
    .set({ expiresAt: leaseSeconds === undefined ? null : endOfLease(sql`${leaseSeconds}`) })
    .where(and(isThis(id), isOfferNow))
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

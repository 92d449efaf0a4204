import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { anyOf, arrayOf } from '../db/arrays.ts';
import type { Database, Transaction } from '../db/client.ts';
import { jobClaims } from '../db/schema.ts';
import {
  asSeenBy,
  type Claim,
  type ClaimRequest,
  type Holders,
  type JobHolders,
  noHolders,
} from './rules.ts';

/**
 * The database's time, the same for all rows of a statement. `now()` would not do: it is when the
 * transaction began, perhaps long before it was granted the lock.
 */
const NOW = sql`statement_timestamp()`;

/** Claims that count: those that stay, and those whose lease has not ended. */
export const isLive = or(isNull(jobClaims.expiresAt), gt(jobClaims.expiresAt, NOW)) as SQL<boolean>;
export const isExpired = lte(jobClaims.expiresAt, NOW);

const endOfLease = (seconds: SQL) => sql`${NOW} + make_interval(secs => ${seconds})`;

/** The claims of these jobs that this statement's snapshot sees; an expired one no longer counts. */
export async function holdersOf(
  db: Database | Transaction,
  jobIds: bigint[],
): Promise<Map<bigint, JobHolders>> {
  const rows = await db
    .select({
      jobId: jobClaims.jobId,
      recruiterId: jobClaims.recruiterId,
      expired: sql<boolean | null>`${isExpired}`,
    })
    .from(jobClaims)
    .where(anyOf(jobClaims.jobId, jobIds));
  return byJob(jobIds, rows);
}

interface HolderRow {
  jobId: bigint;
  recruiterId: bigint;
  /** Null for a claim that stays. */
  expired: boolean | null;
}

/** The holders of each of these jobs. */
export function byJob(jobIds: bigint[], rows: HolderRow[]): Map<bigint, JobHolders> {
  const byJob = new Map(jobIds.map((id) => [id, noHolders()]));
  for (const { jobId, recruiterId, expired } of rows) {
    const holders = byJob.get(jobId);
    if (expired && holders) holders.expired = true;
    else holders?.recruiters.add(recruiterId);
  }
  return byJob;
}

/** The holders of one job, as one recruiter sees them. */
export async function readHolders(
  db: Database | Transaction,
  { jobId, recruiterId }: Pick<ClaimRequest, 'jobId' | 'recruiterId'>,
): Promise<Holders> {
  return asSeenBy(recruiterId, (await holdersOf(db, [jobId])).get(jobId) ?? noHolders());
}

/** Inserts the claim. Asks nothing: whether it may be inserted is for the caller to know. */
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
 * Inserts many at once, and returns them in their order. One parameter a column however many there
 * are: Drizzle's VALUES of 30 rows took 8 % of the server's time, and another plan for each number.
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
  return rows.map((row) => ({
    id: BigInt(row.id),
    jobId: BigInt(row.job_id),
    recruiterId: BigInt(row.recruiter_id),
    createdAt: new Date(row.created_at),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  }));
}

/** A row as the driver has it. */
type ClaimRow = Record<'id' | 'job_id' | 'recruiter_id' | 'created_at', string> & {
  expires_at: string | null;
};

/** Removes expired claims of these jobs, which keep their recruiters from claiming anew. */
export const removeExpired = async (tx: Transaction, jobIds: bigint[]) => {
  await tx.delete(jobClaims).where(and(anyOf(jobClaims.jobId, jobIds), isExpired));
};

/**
 * Removes up to `limit` expired claims of any job, and says how many. It needs no job's lock, as
 * they do not count, and waits for nobody: a row that a claim or a renewal has locked is left to it.
 */
export async function removeAllExpired(tx: Transaction, limit: number): Promise<number> {
  const expired = tx
    .$with('expired')
    .as(
      tx
        .select({ id: jobClaims.id })
        .from(jobClaims)
        .where(isExpired)
        .orderBy(asc(jobClaims.expiresAt))
        .limit(limit)
        .for('update', { skipLocked: true }),
    );
  const removed = await tx
    .with(expired)
    .delete(jobClaims)
    .where(inArray(jobClaims.id, tx.select({ id: expired.id }).from(expired)))
    .returning({ id: jobClaims.id });
  return removed.length;
}

/** A live claim by its id; and only if it is this recruiter's, where one is given. */
export async function findClaim(
  db: Database | Transaction,
  id: bigint,
  recruiterId?: bigint,
): Promise<Claim | undefined> {
  const [claim] = await db.select().from(jobClaims).where(isThis(id, recruiterId));
  return claim;
}

export async function deleteClaim(tx: Transaction, id: bigint): Promise<Claim | undefined> {
  const [claim] = await tx.delete(jobClaims).where(isThis(id)).returning();
  return claim;
}

export async function extendLease(
  tx: Transaction,
  id: bigint,
  leaseSeconds: number,
): Promise<Claim | undefined> {
  const expiresAt = endOfLease(sql`${leaseSeconds}`);
  const [claim] = await tx.update(jobClaims).set({ expiresAt }).where(isThis(id)).returning();
  return claim;
}

const isThis = (id: bigint, recruiterId?: bigint) =>
  and(
    eq(jobClaims.id, id),
    isLive,
    recruiterId === undefined ? undefined : eq(jobClaims.recruiterId, recruiterId),
  );

/**
 * Live claims of a job, or of a recruiter, perhaps on these jobs alone; oldest first, from after the
 * cursor; at most `limit`.
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

import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { jobClaims } from '../db/schema.ts';
import type { Claim, ClaimRequest, Holders } from './rules.ts';

/**
 * The database's time, the same for all rows of a statement. `now()` would not do: it is when the
 * transaction began, perhaps long before it was granted the lock.
 */
const NOW = sql`statement_timestamp()`;

/** Claims that count: those that stay, and those whose lease has not ended. */
export const isLive = or(isNull(jobClaims.expiresAt), gt(jobClaims.expiresAt, NOW)) as SQL<boolean>;
const isExpired = lte(jobClaims.expiresAt, NOW);

const endOfLease = (seconds: number) => sql`${NOW} + make_interval(secs => ${seconds})`;

/** The claims of the job that this statement's snapshot sees; an `expired` one no longer counts. */
export async function readHolders(
  db: Database | Transaction,
  { jobId, recruiterId }: Pick<ClaimRequest, 'jobId' | 'recruiterId'>,
): Promise<Holders & { expired: number }> {
  const rows = await db
    .select({ recruiterId: jobClaims.recruiterId, expired: sql<boolean | null>`${isExpired}` })
    .from(jobClaims)
    .where(eq(jobClaims.jobId, jobId));
  const live = rows.filter(({ expired }) => !expired);
  return {
    claimed: live.length,
    held: live.some((holder) => holder.recruiterId === recruiterId),
    expired: rows.length - live.length,
  };
}

/** Inserts the claim. Asks nothing: whether it may be inserted is for the caller to know. */
export async function insertClaim(
  db: Database | Transaction,
  { jobId, recruiterId, leaseSeconds }: ClaimRequest,
): Promise<Claim> {
  const expiresAt = leaseSeconds === undefined ? null : endOfLease(leaseSeconds);
  const [claim] = await db.insert(jobClaims).values({ jobId, recruiterId, expiresAt }).returning();
  if (!claim) throw new Error('INSERT … RETURNING gave no row');
  return claim;
}

/** Removes the job's expired claims, which keep their recruiters from claiming it anew. */
export const removeExpired = async (tx: Transaction, jobId: bigint) => {
  await tx.delete(jobClaims).where(and(eq(jobClaims.jobId, jobId), isExpired));
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
  const expiresAt = endOfLease(leaseSeconds);
  const [claim] = await tx.update(jobClaims).set({ expiresAt }).where(isThis(id)).returning();
  return claim;
}

const isThis = (id: bigint, recruiterId?: bigint) =>
  and(
    eq(jobClaims.id, id),
    isLive,
    recruiterId === undefined ? undefined : eq(jobClaims.recruiterId, recruiterId),
  );

/** Live claims of a job or a recruiter, oldest first, from after the cursor; at most `limit`. */
export const listClaims = (
  db: Database,
  of: { jobId: bigint } | { recruiterId: bigint },
  { cursor = 0n, limit }: { cursor?: bigint; limit: number },
): Promise<Claim[]> =>
  db
    .select()
    .from(jobClaims)
    .where(
      and(
        'jobId' in of ? eq(jobClaims.jobId, of.jobId) : eq(jobClaims.recruiterId, of.recruiterId),
        isLive,
        gt(jobClaims.id, cursor),
      ),
    )
    .orderBy(asc(jobClaims.id))
    .limit(limit);

import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import { insertClaim } from '../../../service/claims/queries.ts';
import { isLive, jobClaims, jobs } from '../../../service/database/schema.ts';
import type { LineRequest, Outcome, RecruiterRequest } from './strategy.ts';
import { waitlist } from './tables.ts';

/** Locks the job until the transaction ends. Others who lock the job wait. */
export const lockJob = async (tx: Transaction, { jobId }: LineRequest) => {
  await tx.select().from(jobs).where(eq(jobs.id, jobId)).for('update');
};

/**
 * Offers each free slot to the first in line. An offer is a claim with a lease. First removes the
 * offers that have ended, which frees their slots. With `skipLocked`, passes over the recruiters in
 * line whose rows another session has locked.
 */
export const offerFreeSlots = async (
  db: Database | Transaction,
  { jobId }: LineRequest,
  { skipLocked = false } = {},
) => {
  await db.delete(jobClaims).where(and(eq(jobClaims.jobId, jobId), lte(jobClaims.expiresAt, NOW)));
  // A subselect with LIMIT inside of DELETE may run several times, and skip other rows each time.
  // MATERIALIZED runs it once.
  await db.execute(sql`
    with next as materialized (
      select id from ${waitlist} where job_id = ${jobId} order by id
      limit (select ${freeSlots()} from ${jobs} where id = ${jobId})
      ${skipLocked ? sql`for update skip locked` : sql``}
    ), first as (
      delete from ${waitlist} where id in (select id from next) returning id, recruiter_id
    )
    insert into ${jobClaims} (job_id, recruiter_id, expires_at)
    select ${jobId}, recruiter_id, ${NOW} + interval '15 minutes' from first order by id`);
};

/** Returns the number of free slots. With a condition, counts only claims that meet it. */
const freeSlots = (counts?: SQL) => sql<number>`greatest(0, ${jobs.capacity} - (
  select count(*)::int from ${jobClaims} where ${and(eq(jobClaims.jobId, jobs.id), counts)}))`;

/**
 * Does what the request asks for, and offers nothing to the line. An ended offer takes its slot until
 * somebody removes it. With `lapsedIsFree`, it takes no slot.
 */
export async function act(
  db: Database | Transaction,
  request: LineRequest,
  { lapsedIsFree = false } = {},
): Promise<Outcome> {
  switch (request.kind) {
    case 'claim':
      return claimFreeSlot(db, request, lapsedIsFree ? isLive : undefined);
    case 'join':
      return join(db, request);
    case 'leave':
      await leave(db, request);
      return { kind: 'left' };
    case 'release':
      await db.delete(jobClaims).where(isOf(request));
      return { kind: 'released' };
    case 'accept':
      return accept(db, request);
    case 'resize':
      await db.update(jobs).set({ capacity: request.capacity }).where(eq(jobs.id, request.jobId));
      return { kind: 'resized' };
    case 'clean up':
      return { kind: 'cleaned up' };
  }
}

const isOf = ({ jobId, recruiterId }: RecruiterRequest) =>
  and(eq(jobClaims.jobId, jobId), eq(jobClaims.recruiterId, recruiterId));

/** Claims a slot if a slot is free. Does not ask whether somebody waits. `counts` says which claims take a slot. */
async function claimFreeSlot(
  db: Database | Transaction,
  request: RecruiterRequest,
  counts: SQL | undefined,
): Promise<Outcome> {
  const [job] = await db
    .select({ free: freeSlots(counts).as('free') })
    .from(jobs)
    .where(eq(jobs.id, request.jobId));
  if (!job?.free) return { kind: 'full' };
  await insertClaim(db, request);
  return { kind: 'claimed' };
}

/** Puts the recruiter at the end of the line. */
async function join(
  db: Database | Transaction,
  { jobId, recruiterId }: RecruiterRequest,
): Promise<Outcome> {
  await db.insert(waitlist).values({ jobId, recruiterId });
  return { kind: 'in line' };
}

/** Takes the recruiter out of the line. Declines an offer that the recruiter has meanwhile. */
async function leave(
  db: Database | Transaction,
  { jobId, recruiterId }: RecruiterRequest,
): Promise<void> {
  const ofRecruiter = sql`job_id = ${jobId} and recruiter_id = ${recruiterId}`;
  await db.execute(sql`
    with left_line as (delete from ${waitlist} where ${ofRecruiter})
    delete from ${jobClaims} where ${ofRecruiter}`);
}

/**
 * Accepts an offer: the claim loses its lease. Refuses an offer that has ended. Accepting it would be
 * safe too, since it takes its slot until somebody removes it.
 */
async function accept(db: Database | Transaction, request: RecruiterRequest): Promise<Outcome> {
  const accepted = await db
    .update(jobClaims)
    .set({ expiresAt: null })
    .where(and(isOf(request), isLive))
    .returning({ id: jobClaims.id });
  return { kind: accepted.length > 0 ? 'accepted' : 'lapsed' };
}

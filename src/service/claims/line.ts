import { and, eq, isNull, sql } from 'drizzle-orm';
import { arrayOf } from '../../platform/db/array-text.ts';
import { arrayIn } from '../../platform/db/arrays.ts';
import type { Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { jobClaims, jobs, waitlist } from '../database/schema.ts';
import { events } from '../outbox/tables.ts';
import type { Claim } from './rules.ts';

/**
 * Offers the free slots of each job to the first in its line, and appends the events. An offer is a
 * claim with a lease. The caller has locked the jobs, and has removed their expired claims.
 *
 * The line keeps the row of an offer, with the id of its claim. A recruiter without `offer_minutes`
 * gets a claim without a lease, and leaves the line.
 *
 * Passes over a recruiter who has a claim of the job already. Only changes by hand can cause this.
 *
 * The statement makes no offer unless its transaction has an id. See `INSERT_CLAIMS` for the reason.
 */
const INSERT_OFFERS = compiled<{ jobs: string }>(sql`
  with next as (
    select line.id as line_id, wanted.job_id, recruiter_id, offer_minutes, company_id, role, capacity,
      claimed + nth as claimed, nth, greatest(0, waiting - nth) as waiting
    from unnest(${arrayIn('jobs', 'bigint')}) as wanted (job_id)
    cross join lateral (
      select company_id, role, capacity from ${jobs} where id = wanted.job_id limit 1) as job
    cross join lateral (
      select count(*) as claimed from ${jobClaims} where job_id = wanted.job_id) as held
    cross join lateral (
      select id, recruiter_id, offer_minutes, row_number() over (order by id) as nth,
        (select count(*) from ${waitlist} where job_id = wanted.job_id and claim_id is null) as waiting
      from ${waitlist} as entry
      where job_id = wanted.job_id and claim_id is null and not exists (
        select from ${jobClaims} where job_id = wanted.job_id and recruiter_id = entry.recruiter_id)
      order by id limit greatest(0, capacity - claimed)) as line
    where pg_current_xact_id_if_assigned() is not null
  ), offer as (
    insert into ${jobClaims} (job_id, recruiter_id, expires_at)
    select job_id, recruiter_id, ${NOW} + make_interval(mins => offer_minutes)
    from next order by line_id
    returning id, job_id, recruiter_id, expires_at
  ), kept as (
    update ${waitlist} set claim_id = offer.id from next join offer using (job_id, recruiter_id)
    where waitlist.id = next.line_id and next.offer_minutes is not null
  ), removed as (
    delete from ${waitlist} where id in (select line_id from next where offer_minutes is null)
  ), event as (
    insert into ${events} (job_id, company_id, number, kind, claim_id, recruiter_id, expires_at,
      role, capacity, claimed, waiting)
    select job_id, company_id,
      coalesce((select max(number) from ${events} where job_id = next.job_id), 0) + nth,
      case when expires_at is null then 'claimed' else 'offered' end,
      offer.id, recruiter_id, expires_at, role, capacity, claimed, waiting
    from next join offer using (job_id, recruiter_id)
  )
  select job_id, recruiter_id from offer`);

/** Makes the offers, and returns who got them. */
export async function insertOffers(
  tx: Transaction,
  jobIds: bigint[],
): Promise<Pick<Claim, 'jobId' | 'recruiterId'>[]> {
  const rows = await tx.execute<Record<'job_id' | 'recruiter_id', string>>(
    INSERT_OFFERS({ jobs: arrayOf(jobIds) }),
  );
  return rows.map((row) => ({ jobId: BigInt(row.job_id), recruiterId: BigInt(row.recruiter_id) }));
}

/**
 * A job with a line and a free slot. An expired claim counts here, because the removal of the claim
 * gives its slot to the line.
 */
const hasIdleSlot = sql`(select count(*) from ${jobClaims} where ${jobClaims.jobId} = ${jobs.id})
  < ${jobs.capacity}`;

/**
 * Selects a row if a slot is free although somebody waits. Reads each line once. A statement that
 * begins with all jobs would read all jobs.
 */
export const ANY_IDLE_SLOT = sql`
  select true from (select distinct job_id from ${waitlist} where claim_id is null) as line
  join ${jobs} on ${jobs.id} = line.job_id where ${hasIdleSlot} limit 1`;

/** Finds up to `limit` jobs with a line and a free slot. */
export async function findIdleJobs(tx: Transaction, limit: number): Promise<bigint[]> {
  const withLine = sql`${jobs.id} in (select job_id from ${waitlist} where claim_id is null)`;
  const rows = await tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(withLine, hasIdleSlot))
    .orderBy(jobs.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** A recruiter at the end of a line. */
export interface NewInLine {
  jobId: bigint;
  recruiterId: bigint;
  /** How long the offer will last. Null if the recruiter gets a claim without being asked. */
  offerMinutes: number | null;
}

/** Puts a recruiter at the end of the line of a locked job. */
export const insertIntoLine = async (tx: Transaction, entry: NewInLine) => {
  await tx.insert(waitlist).values(entry);
};

/** Takes a recruiter who waits out of the line. */
export async function deleteFromLine(
  tx: Transaction,
  { jobId, recruiterId }: Pick<NewInLine, 'jobId' | 'recruiterId'>,
) {
  const waits = and(
    eq(waitlist.jobId, jobId),
    eq(waitlist.recruiterId, recruiterId),
    isNull(waitlist.claimId),
  );
  await tx.delete(waitlist).where(waits);
}

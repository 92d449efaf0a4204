import { and, asc, eq, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import {
  DEFAULT_LONGEST_LINE,
  isLive,
  jobClaims,
  recruiters,
  waitlist,
  waitlistSettings,
} from '../database/schema.ts';
import type { LineSettings } from './rules.ts';

/** A recruiter in the line of a job. */
export interface Entry {
  id: bigint;
  jobId: bigint;
  recruiterId: bigint;
  recruiterName: string;
  joinedAt: Date;
  /** 1 for the next recruiter. Null for a recruiter who has an offer. */
  place: number | null;
  /** The claim that is offered. Null while the recruiter waits. */
  claimId: bigint | null;
  /** When the offer ends. Null while the recruiter waits. */
  expiresAt: Date | null;
  /** How many recruiters wait for the job. */
  waiting: number;
}

const isWaiting = isNull(waitlist.claimId);

const place = sql<number | null>`case when ${waitlist.claimId} is null then (
  select count(*)::int from ${waitlist} as before
  where before.job_id = ${waitlist.jobId} and before.claim_id is null and before.id <= ${waitlist.id}
) end`.as('place');

const waiting = sql<number>`(
  select count(*)::int from ${waitlist} as waits
  where waits.job_id = ${waitlist.jobId} and waits.claim_id is null)`.as('waiting');

/** Begins a SELECT of entries. With the condition `isLive`, it leaves out offers that have ended. */
const entries = (db: Database | Transaction) =>
  db
    .select({
      id: waitlist.id,
      jobId: waitlist.jobId,
      recruiterId: waitlist.recruiterId,
      recruiterName: recruiters.name,
      joinedAt: waitlist.joinedAt,
      claimId: waitlist.claimId,
      expiresAt: jobClaims.expiresAt,
      place,
      waiting,
    })
    .from(waitlist)
    .innerJoin(recruiters, eq(recruiters.id, waitlist.recruiterId))
    .leftJoin(jobClaims, eq(jobClaims.id, waitlist.claimId));

/** Finds the entry of a recruiter in the line of a job. */
export async function findEntry(
  db: Database | Transaction,
  jobId: bigint,
  recruiterId: bigint,
): Promise<Entry | undefined> {
  const [entry] = await entries(db).where(
    and(eq(waitlist.jobId, jobId), eq(waitlist.recruiterId, recruiterId), isLive),
  );
  return entry;
}

/**
 * Lists at most `limit` entries of the line of a job, or of the lines of a recruiter. The entries
 * are in the order of joining, after the cursor. With `jobIds`, lists only the lines of these jobs.
 */
export const listEntries = (
  db: Database,
  of: { jobId: bigint } | { recruiterId: bigint; jobIds?: bigint[] | undefined },
  { cursor = 0n, limit }: { cursor?: bigint | undefined; limit: number },
): Promise<Entry[]> =>
  entries(db)
    .where(
      and(
        'jobId' in of ? eq(waitlist.jobId, of.jobId) : eq(waitlist.recruiterId, of.recruiterId),
        'jobIds' in of && of.jobIds ? anyOf(waitlist.jobId, of.jobIds) : undefined,
        gt(waitlist.id, cursor),
        isLive,
      ),
    )
    .orderBy(asc(waitlist.id))
    .limit(limit);

/** The place of a recruiter who waits, as in `Entry`. */
export interface Place {
  jobId: bigint;
  recruiterId: bigint;
  place: number;
}

/**
 * Reads the places of these recruiters. With `jobIds`, reads only the lines of these jobs. Reads
 * each line once, however many of the recruiters wait in it.
 */
export function readPlaces(
  db: Database,
  recruiterIds: readonly bigint[],
  jobIds?: readonly bigint[],
): Promise<Place[]> {
  const waitedFor = db
    .select({ jobId: waitlist.jobId })
    .from(waitlist)
    .where(
      and(
        isWaiting,
        anyOf(waitlist.recruiterId, recruiterIds),
        jobIds && anyOf(waitlist.jobId, jobIds),
      ),
    );
  const lines = db
    .select({
      jobId: waitlist.jobId,
      recruiterId: waitlist.recruiterId,
      place:
        sql<number>`(row_number() over (partition by ${waitlist.jobId} order by ${waitlist.id}))::int`.as(
          'place',
        ),
    })
    .from(waitlist)
    .where(and(isWaiting, inArray(waitlist.jobId, waitedFor)))
    .as('lines');
  return db.select().from(lines).where(anyOf(lines.recruiterId, recruiterIds));
}

/** Counts the recruiters who wait for a job. */
export const countWaiting = (db: Database | Transaction, jobId: bigint): Promise<number> =>
  db.$count(waitlist, and(eq(waitlist.jobId, jobId), isWaiting));

/**
 * Locks a recruiter until our transaction ends, and counts the lines in which the recruiter waits or
 * has an offer. So a recruiter who joins many lines at once cannot pass the limit. Returns undefined
 * if there is no such recruiter.
 */
export async function countLines(
  tx: Transaction,
  recruiterId: bigint,
): Promise<number | undefined> {
  const [recruiter] = await tx
    .select({ id: recruiters.id })
    .from(recruiters)
    .where(eq(recruiters.id, recruiterId))
    .for('no key update');
  if (!recruiter) return undefined;
  return tx.$count(waitlist, eq(waitlist.recruiterId, recruiterId));
}

/** Reads what a company wants for the line of a job. `offerMinutes` is for jobs that do not say. */
export async function readSettings(
  db: Database | Transaction,
  jobId: bigint,
  offerMinutes: number,
): Promise<LineSettings> {
  const [row] = await db.select().from(waitlistSettings).where(eq(waitlistSettings.jobId, jobId));
  return {
    longest: row?.longest ?? DEFAULT_LONGEST_LINE,
    offerMinutes: row?.offerMinutes ?? offerMinutes,
    auto: row?.auto ?? false,
  };
}

/** Writes the settings of a line. Those who wait already get offers by the new settings too. */
export async function writeSettings(
  tx: Transaction,
  jobId: bigint,
  change: Partial<LineSettings>,
  offerMinutes: number,
): Promise<LineSettings> {
  await tx
    .insert(waitlistSettings)
    .values({ jobId, ...change })
    .onConflictDoUpdate({ target: waitlistSettings.jobId, set: change });
  const settings = await readSettings(tx, jobId, offerMinutes);
  await tx
    .update(waitlist)
    .set({ offerMinutes: minutesOf(settings) })
    .where(and(eq(waitlist.jobId, jobId), isWaiting));
  return settings;
}

/** How long the offer of a recruiter lasts. Null if the recruiter gets a claim without being asked. */
export const minutesOf = ({ auto, offerMinutes }: LineSettings): number | null =>
  auto ? null : offerMinutes;

/** The lines of all jobs, for the metrics. */
export interface LineFigures {
  waiting: number;
  /** How long the first of all who wait has waited. 0 if nobody waits. */
  longestWaitSeconds: number;
  /** The offers that nobody has accepted yet. */
  offers: number;
}

/** Counts the recruiters in all lines. */
export async function readLineFigures(db: Database): Promise<LineFigures> {
  const [row] = await db
    .select({
      waiting: sql<number>`(count(*) filter (where ${isWaiting}))::int`,
      longestWaitSeconds: sql<number>`coalesce(extract(epoch from
        ${NOW} - min(${waitlist.joinedAt}) filter (where ${isWaiting})), 0)::float`,
      offers: sql<number>`(count(*) filter (where ${isNotNull(waitlist.claimId)}))::int`,
    })
    .from(waitlist);
  return row ?? { waiting: 0, longestWaitSeconds: 0, offers: 0 };
}

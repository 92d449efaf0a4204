import { and, asc, count, eq, gt, lte, max, not, type SQL, sql } from 'drizzle-orm';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { claimedOfJob, isOpen } from '../claims/reads.ts';
import { type Slots, slotsOf } from '../claims/rules.ts';
import { companies, jobs, jobWords } from '../database/schema.ts';
import { idBody, instantBody, type Page, paged } from '../http/schemas.ts';
import { matches } from '../http/search.ts';
import { companyOfEvents, type JobEvent, listEvents } from '../outbox/queries.ts';

export interface Job {
  id: bigint;
  company: { id: bigint; name: string };
  role: string;
  createdAt: Date;
  slots: Slots;
}

export interface JobFilter {
  status?: 'open' | 'full' | undefined;
  companyId?: bigint | undefined;
  /**
   * The words of a search. Each word must be the beginning of a word of the role or of the
   * company's name.
   */
  q?: string[] | undefined;
}

/**
 * Lists at most `limit` jobs in the order of their ids, after the cursor and up to the id `last`.
 */
export const listJobs = (
  db: Database,
  { last, ...filter }: JobFilter & { last?: bigint },
  { cursor = 0n, limit }: Page,
): Promise<Job[]> =>
  selectJobs(
    db,
    and(
      gt(jobs.id, cursor),
      last === undefined ? undefined : lte(jobs.id, last),
      indexedConditions(filter),
      filter.status === 'open' ? isOpen : undefined,
      filter.status === 'full' ? not(isOpen) : undefined,
    ),
    limit,
  );

/**
 * The maximum number of jobs to examine for one page if the filter has a status. The database
 * counts the claims of each job to decide whether the job is full. Without this limit, a search for
 * a rare status would read the whole table. This took 700 ms for 600,000 jobs.
 */
const MOST_EXAMINED = 5_000;

/**
 * Returns a page of jobs, and the cursor for the next page. If the filter has a status, a page may
 * have fewer jobs than `limit` although another page follows.
 */
export async function pageOfJobs(db: Database, filter: JobFilter, page: Page) {
  const { cursor = 0n, limit } = page;
  const beyond = { ...page, limit: limit + 1 };
  if (filter.status === undefined) return paged(await listJobs(db, filter, beyond), page);
  const { last, examined } = await lookAhead(db, filter, cursor);
  const found = paged(await listJobs(db, { ...filter, last }, beyond), page);
  if (found.nextCursor !== null || examined < MOST_EXAMINED) return found;
  return { ...found, nextCursor: String(last) };
}

/**
 * Reads the jobs after the cursor that fit the filter, but ignores the status in the filter.
 * Returns how many jobs it read (at most `MOST_EXAMINED`), and the id of the last job. If it read
 * no job, this id is the cursor.
 */
async function lookAhead(db: Database, filter: JobFilter, cursor: bigint) {
  const ahead = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(gt(jobs.id, cursor), indexedConditions(filter)))
    .orderBy(asc(jobs.id))
    .limit(MOST_EXAMINED)
    .as('ahead');
  const [row] = await db.select({ last: max(ahead.id), examined: count() }).from(ahead);
  return { last: row?.last ?? cursor, examined: row?.examined ?? 0 };
}

/** Makes those conditions of the filter for which PostgreSQL can use an index. */
const indexedConditions = ({ companyId, q }: JobFilter) =>
  and(
    companyId === undefined ? undefined : eq(jobs.companyId, companyId),
    q &&
      sql`${jobs.id} in (select ${jobWords.jobId} from ${jobWords} where ${matches(sql`${jobWords.words}`, q)})`,
  );

/** Finds the jobs with these ids. Ignores unknown ids. */
export const findJobs = (db: Database | Transaction, ids: bigint[]): Promise<Job[]> =>
  selectJobs(db, anyOf(jobs.id, ids), ids.length);

export async function findJob(db: Database | Transaction, id: bigint): Promise<Job | undefined> {
  const [job] = await findJobs(db, [id]);
  return job;
}

async function selectJobs(
  db: Database | Transaction,
  where: SQL | undefined,
  limit: number,
): Promise<Job[]> {
  const rows = await db
    .select({
      id: jobs.id,
      company: { id: companies.id, name: companies.name },
      role: jobs.role,
      createdAt: jobs.createdAt,
      capacity: jobs.capacity,
      claimed: claimedOfJob.as('claimed'),
    })
    .from(jobs)
    .innerJoin(companies, eq(companies.id, jobs.companyId))
    .where(where)
    .orderBy(asc(jobs.id))
    .limit(limit);
  return rows.map(({ capacity, claimed, ...job }) => ({
    ...job,
    slots: slotsOf(capacity, claimed),
  }));
}

export interface NewJob {
  companyId: bigint;
  role: string;
  capacity?: number | undefined;
}

/** Inserts a job, and returns its id. Returns undefined if the company does not exist. */
export async function insertJob(
  tx: Transaction,
  { companyId, role, capacity }: NewJob,
): Promise<bigint | undefined> {
  const ofCompany = eq(companies.id, companyId);
  // Locks the company as the foreign key does. Nobody can delete the company until this transaction
  // ends.
  const [company] = await tx.select().from(companies).where(ofCompany).for('key share');
  if (!company) return undefined;
  const [job] = await tx
    .insert(jobs)
    .values({ companyId, role, ...(capacity !== undefined && { capacity }) })
    .returning({ id: jobs.id });
  return job?.id;
}

/**
 * Finds the company of a job, also of a removed job that still has a history. Returns undefined if
 * there is no such job and no history.
 */
export async function companyOfHistory(db: Database, jobId: bigint): Promise<bigint | undefined> {
  const [job] = await db.select({ companyId: jobs.companyId }).from(jobs).where(eq(jobs.id, jobId));
  return job?.companyId ?? companyOfEvents(db, jobId);
}

/** Lists a page of a job's history. The cursor is the number of an event. */
export async function pageOfHistory(db: Database, jobId: bigint, page: Page) {
  const found = await listEvents(db, jobId, { ...page, limit: page.limit + 1 });
  const rows = found.map((event) => ({ ...event, id: BigInt(event.number) }));
  const { page: events, nextCursor } = paged(rows, page);
  return { events: events.map(eventBody), nextCursor };
}

const eventBody = ({ number, kind, at, claimId, recruiterId, expiresAt, ...job }: JobEvent) => ({
  number,
  kind,
  at: at.toISOString(),
  claimId: claimId && idBody(claimId),
  recruiterId: recruiterId && idBody(recruiterId),
  expiresAt: instantBody(expiresAt),
  role: job.role,
  ...slotsOf(job.capacity, job.claimed),
  waiting: job.waiting,
});

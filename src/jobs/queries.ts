import { and, asc, count, eq, gt, lte, max, not, type SQL, sql } from 'drizzle-orm';
import { claimedOfJob, isOpen } from '../claims/queries.ts';
import { type Slots, slotsOf } from '../claims/rules.ts';
import { anyOf } from '../db/arrays.ts';
import type { Database, Transaction } from '../db/client.ts';
import { companies, jobs, jobWords } from '../db/schema.ts';
import { type Page, paged } from '../http/schemas.ts';
import { matches } from '../http/search.ts';

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
  /** Each word must begin a word of the role or of the company's name. */
  q?: string[] | undefined;
}

/** Jobs in the order of their ids, after the cursor and up to `last`. At most `limit` jobs. */
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
 * How many jobs a page with a status looks at. Claims are counted job by job to decide whether a
 * job is full. Without this bound, a page of rare jobs would read the whole table: 700 ms for
 * 600,000 jobs.
 */
const MOST_LOOKED_AT = 5_000;

/**
 * A page of jobs, and the cursor for the next page. A page with a status may be short although it
 * is not the last.
 */
export async function pageOfJobs(db: Database, filter: JobFilter, page: Page) {
  const { cursor = 0n, limit } = page;
  const beyond = { ...page, limit: limit + 1 };
  if (filter.status === undefined) return paged(await listJobs(db, filter, beyond), page);
  const { last, looked } = await lookAhead(db, filter, cursor);
  const found = paged(await listJobs(db, { ...filter, last }, beyond), page);
  if (found.nextCursor !== null || looked < MOST_LOOKED_AT) return found;
  return { ...found, nextCursor: String(last) };
}

/**
 * Looks at the jobs after the cursor that fit the filter, whatever their status. Gives their
 * number, up to a bound, and the id of the last.
 */
async function lookAhead(db: Database, filter: JobFilter, cursor: bigint) {
  const ahead = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(gt(jobs.id, cursor), indexedConditions(filter)))
    .orderBy(asc(jobs.id))
    .limit(MOST_LOOKED_AT)
    .as('ahead');
  const [row] = await db.select({ last: max(ahead.id), looked: count() }).from(ahead);
  return { last: row?.last ?? cursor, looked: row?.looked ?? 0 };
}

/** The conditions that have indexes. */
const indexedConditions = ({ companyId, q }: JobFilter) =>
  and(
    companyId === undefined ? undefined : eq(jobs.companyId, companyId),
    q &&
      sql`${jobs.id} in (select ${jobWords.jobId} from ${jobWords} where ${matches(sql`${jobWords.words}`, q)})`,
  );

/** The jobs with these ids. Unknown ids are left out. */
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

/** The id of the new job. Undefined if the company does not exist. */
export async function insertJob(
  tx: Transaction,
  { companyId, role, capacity }: NewJob,
): Promise<bigint | undefined> {
  const ofCompany = eq(companies.id, companyId);
  // The same lock as a foreign key takes, so that the company cannot be removed meanwhile.
  const [company] = await tx.select().from(companies).where(ofCompany).for('key share');
  if (!company) return undefined;
  const [job] = await tx
    .insert(jobs)
    .values({ companyId, role, ...(capacity !== undefined && { capacity }) })
    .returning({ id: jobs.id });
  return job?.id;
}

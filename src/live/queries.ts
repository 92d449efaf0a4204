import { eq } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { findJobs, type Job, listJobs } from '../jobs/queries.ts';
import { Batch } from './batch.ts';
import { goneEvent, jobEvent } from './events.ts';

/** Which jobs are followed: all, those of a company, those with these ids, or those that are both. */
export interface Followed {
  companyId?: bigint | undefined;
  jobIds?: bigint[] | undefined;
}

/** Followers have the same topic if they follow the same jobs. */
export const topicOf = ({ companyId, jobIds = [] }: Followed): string =>
  [companyId, ...jobIds].join();

/** The news of one job. */
interface News {
  /** Undefined for a job that is gone, since nobody knows its company any more. */
  companyId: bigint | undefined;
  event: Uint8Array;
}

const newsOf = (job: Job): News => ({ companyId: job.company.id, event: jobEvent(job) });

/** The news of changed jobs. Each event is encoded once. */
export async function readChanged(db: Database, ids: bigint[]): Promise<Map<bigint, News>> {
  const found = new Map((await findJobs(db, ids)).map((job) => [job.id, newsOf(job)]));
  return new Map(
    ids.map((id) => [id, found.get(id) ?? { companyId: undefined, event: goneEvent(id) }]),
  );
}

/** The news about followed jobs. */
export function newsAbout({ companyId, jobIds }: Followed, news: ReadonlyMap<bigint, News>): Batch {
  const isOurs = (each: News) =>
    companyId === undefined || each.companyId === undefined || each.companyId === companyId;
  // A thousand clients may ask for a hundred jobs each, so we look up each id and search no list.
  const ids = jobIds ?? [...news.keys()];
  return new Batch(
    ids.flatMap((id) => {
      const each = news.get(id);
      return each && isOurs(each) ? [[id, each.event] as const] : [];
    }),
  );
}

/** A part of the full state, in the order of the ids; `next`: after which job the rest begins. */
export interface Page {
  events: Batch;
  next: bigint | undefined;
}

/** The most jobs in one page, and the most ids that one client may ask for. */
export const PAGE = 100;

export async function readPage(db: Database, followed: Followed, cursor: bigint): Promise<Page> {
  const { companyId, jobIds } = followed;
  const found = await (jobIds
    ? findJobs(db, jobIds)
    : listJobs(db, { companyId }, { cursor, limit: PAGE }));
  const isLast = jobIds !== undefined || found.length < PAGE;
  return {
    events: newsAbout(followed, new Map(found.map((job) => [job.id, newsOf(job)]))),
    next: isLast ? undefined : found.at(-1)?.id,
  };
}

/** Whether the full state is longer than that; never where the ids are given, which are few. */
export async function hasMoreJobsThan(
  most: number,
  db: Database,
  { companyId, jobIds }: Followed,
): Promise<boolean> {
  if (jobIds) return false;
  const ofCompany = companyId === undefined ? undefined : eq(jobs.companyId, companyId);
  // One row past the limit, rather than a count of a table that may have millions.
  const past = db.select({ id: jobs.id }).from(jobs).where(ofCompany).offset(most).limit(1);
  return (await past).length > 0;
}

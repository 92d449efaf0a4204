import { eq } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { findJobs, listJobs } from '../jobs/queries.ts';
import { jobEvent } from './events.ts';

/** Which jobs are followed: all, those of a company, those with these ids, or those that are both. */
export interface Followed {
  companyId?: bigint | undefined;
  jobIds?: bigint[] | undefined;
}

/** Whose a job was that is gone nobody can tell any more: then its company does not matter. */
export const isFollowed = (
  { companyId, jobIds }: Followed,
  id: bigint,
  company = companyId,
): boolean =>
  (companyId === undefined || companyId === company) &&
  (jobIds === undefined || jobIds.includes(id));

/** A part of the full state, in the order of the ids; `next`: after which job the rest begins. */
export interface Page {
  events: (readonly [id: bigint, text: string])[];
  next: bigint | undefined;
}

/** Jobs that one statement reads, and ids that one client may ask for. */
export const PAGE = 100;

export async function readPage(db: Database, followed: Followed, cursor: bigint): Promise<Page> {
  const { companyId, jobIds } = followed;
  const found = await (jobIds
    ? findJobs(db, jobIds)
    : listJobs(db, { companyId }, { cursor, limit: PAGE }));
  const isLast = jobIds !== undefined || found.length < PAGE;
  return {
    events: found
      .filter((job) => isFollowed(followed, job.id, job.company.id))
      .map((job) => [job.id, jobEvent(job)] as const),
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

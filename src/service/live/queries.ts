import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { companies, jobs, recruiters } from '../database/schema.ts';
import { findNamed } from '../http/named.ts';
import { findJobs, type Job, listJobs } from '../jobs/queries.ts';
import { type Place, readPlaces } from '../waitlist/queries.ts';
import { Batch } from './batch.ts';
import { type ClaimNews, claimEvent, listHeld } from './claims.ts';
import { goneEvent, jobEvent } from './events.ts';
import { type PlaceNews, placeEvent } from './places.ts';

/**
 * The jobs that a client follows: all jobs, the jobs of a company, the jobs with these ids, or the
 * jobs of a company with these ids. With `recruiterId`, the client follows the claims and the places
 * in line of the recruiter instead.
 */
export interface Followed {
  companyId?: bigint | undefined;
  jobIds?: bigint[] | undefined;
  recruiterId?: bigint | undefined;
}

/** Returns the topic of a follower. Followers of the same jobs or claims have the same topic. */
export const topicOf = ({ companyId, jobIds = [], recruiterId }: Followed): string =>
  recruiterId === undefined ? [companyId, ...jobIds].join() : `claims of ${recruiterId}`;

/** The news about one job. */
interface News {
  /** Undefined for a removed job, because the company can no longer be read. */
  companyId: bigint | undefined;
  event: Uint8Array;
}

const newsOf = (job: Job): News => ({ companyId: job.company.id, event: jobEvent(job) });

/** Reads changed jobs, and makes one event for each job. All followers share the encoded event. */
export async function readChanged(db: Database, ids: bigint[]): Promise<Map<bigint, News>> {
  const found = new Map((await findJobs(db, ids)).map((job) => [job.id, newsOf(job)]));
  return new Map(
    ids.map((id) => [id, found.get(id) ?? { companyId: undefined, event: goneEvent(id) }]),
  );
}

/** Returns the events about the jobs that a client follows. */
export function newsAbout({ companyId, jobIds }: Followed, news: ReadonlyMap<bigint, News>): Batch {
  const isOurs = (each: News) =>
    companyId === undefined || each.companyId === undefined || each.companyId === companyId;
  // A thousand clients may follow a hundred jobs each. Reading the map for each id is faster than
  // searching a list.
  const ids = jobIds ?? [...news.keys()];
  return new Batch(
    ids.flatMap((id) => {
      const each = news.get(id);
      return each && isOurs(each) ? [[id, each.event] as const] : [];
    }),
  );
}

/**
 * A part of the full state, in the order of the ids. The rest begins after the job `next`. On the
 * last page, `next` is undefined.
 */
export interface Page {
  events: Batch;
  next: bigint | undefined;
  /** What a recruiter has, if the client follows a recruiter. */
  own: Own;
}

/** The claims of a recruiter, and the places in line. All places are on the last page. */
interface Own {
  claims: readonly ClaimNews[];
  places: readonly Place[];
}
const NOTHING: Own = { claims: [], places: [] };

/** The maximum number of jobs in one page, and the maximum number of ids that a client may name. */
export const PAGE = 100;

export async function readPage(db: Database, followed: Followed, cursor: bigint): Promise<Page> {
  const { companyId, jobIds, recruiterId } = followed;
  if (recruiterId !== undefined) return readHeldPage(db, recruiterId, cursor);
  const found = await (jobIds
    ? findJobs(db, jobIds)
    : listJobs(db, { companyId }, { cursor, limit: PAGE }));
  const isLast = jobIds !== undefined || found.length < PAGE;
  return {
    events: newsAbout(followed, new Map(found.map((job) => [job.id, newsOf(job)]))),
    next: isLast ? undefined : found.at(-1)?.id,
    own: NOTHING,
  };
}

async function readHeldPage(db: Database, recruiterId: bigint, cursor: bigint): Promise<Page> {
  const claims = await listHeld(db, recruiterId, { cursor, limit: PAGE });
  const next = claims.length < PAGE ? undefined : claims.at(-1)?.claimId;
  const places = next === undefined ? await readPlaces(db, [recruiterId]) : [];
  return { events: ownBatch({ claims, places }), next, own: { claims, places } };
}

/**
 * Returns the latest event of each claim and of each place. A place has the negative id of its job.
 * No claim has a negative id, so the ids never collide.
 */
export const ownBatch = ({
  claims,
  places,
}: {
  claims: readonly ClaimNews[];
  places: readonly PlaceNews[];
}): Batch =>
  new Batch([
    ...claims.map((each) => [each.claimId, claimEvent(each)] as const),
    ...places.map((each) => [-each.jobId, placeEvent(each)] as const),
  ]);

/** Returns whether the followed company or recruiter exists. */
export async function exists(db: Database, { companyId, recruiterId }: Followed): Promise<boolean> {
  if (recruiterId !== undefined) return isNamed(db, recruiters, recruiterId);
  return companyId === undefined || isNamed(db, companies, companyId);
}

const isNamed = async (...which: Parameters<typeof findNamed>) =>
  (await findNamed(...which)) !== undefined;

/**
 * Returns whether the full state has more than `most` jobs. Always false if the client names ids,
 * because a client may name only a few ids.
 */
export async function hasMoreJobsThan(
  most: number,
  db: Database,
  { companyId, jobIds, recruiterId }: Followed,
): Promise<boolean> {
  if (jobIds || recruiterId !== undefined) return false;
  const ofCompany = companyId === undefined ? undefined : eq(jobs.companyId, companyId);
  // We search for one row past the limit. A count could read millions of rows.
  const past = db.select({ id: jobs.id }).from(jobs).where(ofCompany).offset(most).limit(1);
  return (await past).length > 0;
}

import type { InferResponseType } from 'hono/client';
import { api } from '../api.ts';
import { Refused } from '../insist.ts';
import { searched } from '../search.ts';

export type Job = InferResponseType<typeof api.jobs.$get, 200>['jobs'][number];
export type Id = Job['id'];

/** The slots of a job. */
export type Slots = Pick<Job, 'capacity' | 'claimed' | 'remaining'>;

export interface Filter {
  /** The company whose jobs are listed. Empty means all companies. */
  companyId: string;
  /** Words to search for. Empty means all jobs. */
  q: string;
  status: '' | 'open' | 'full';
  /** The cursor where the page begins. Empty means the first page. */
  after: string;
  /** How many jobs the page holds. */
  size: number;
}

/** How many jobs the largest page holds. One event stream may follow twice as many. */
export const PAGE = 50;

export interface JobPage {
  jobs: Job[];
  /** The cursor for the next page. Null on the last page. */
  next: string | null;
}

/**
 * Lists a page of jobs. If a status is given, the service examines a limited number of jobs for
 * each request, and may find only a few. Further requests then fill the page. Throws a `Refused`,
 * or the error of `fetch`.
 */
export async function listJobs(
  { companyId, q, status, after, size }: Filter,
  signal: AbortSignal,
): Promise<JobPage> {
  const jobs: Job[] = [];
  let next: string | null = after || null;
  do {
    const query = {
      limit: String(size - jobs.length),
      ...searched(q),
      ...(companyId && { companyId }),
      ...(status && { status }),
      ...(next && { cursor: next }),
    };
    const answer = await api.jobs.$get({ query }, { init: { signal } });
    if (!answer.ok) throw new Refused(await answer.json());
    const page = await answer.json();
    jobs.push(...page.jobs);
    next = page.nextCursor;
  } while (jobs.length < size && next !== null);
  return { jobs, next };
}

import type { CallOptions, Job } from '../../../client/index.ts';
import { api } from '../api.ts';
import { dataOf } from '../insist.ts';
import { searched } from '../search.ts';

export type { Id, Job } from '../../../client/index.ts';

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
  /** The number of jobs on a page. */
  size: number;
}

/** The number of jobs on the largest page. One event stream may follow at most 100 jobs. */
export const PAGE = 50;

export interface JobPage {
  jobs: Job[];
  /** The cursor for the next page. Null on the last page. */
  next: string | null;
}

/**
 * Lists a page of jobs. If a status is given, the service examines a limited number of jobs for
 * each request, and may find only a few. Further requests then fill the page. Throws a `Refused` if
 * the service refuses a request.
 */
export async function listJobs(
  { companyId, q, status, after, size }: Filter,
  options: CallOptions,
): Promise<JobPage> {
  const jobs: Job[] = [];
  let next: string | null = after || null;
  do {
    const args = {
      limit: size - jobs.length,
      ...searched(q),
      ...(companyId && { companyId }),
      ...(status && { status }),
      ...(next && { cursor: next }),
    };
    const page = dataOf(await api.listJobs(args, options));
    jobs.push(...page.jobs);
    next = page.nextCursor;
  } while (jobs.length < size && next !== null);
  return { jobs, next };
}

import type { InferResponseType } from 'hono/client';
import { api } from '../parts/api.ts';
import { Refused } from '../parts/insist.ts';
import { searched } from '../parts/search.ts';

export type Job = InferResponseType<typeof api.jobs.$get, 200>['jobs'][number];
export type Id = Job['id'];

/** What a job has in slots. */
export type Slots = Pick<Job, 'capacity' | 'claimed' | 'remaining'>;

export interface Filter {
  /** Words to search for; empty: all jobs. */
  q: string;
  status: '' | 'open' | 'full';
  /** Where the page begins: the cursor that the page before gave; empty: at the first job. */
  after: string;
}

/** As many as one stream of events follows, halved: a page that nobody scrolls through in vain. */
export const PAGE = 50;

export interface JobPage {
  jobs: Job[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/**
 * A page of jobs. With a status the service looks at so many jobs a request and may find few, so it
 * is asked until the page is full. Throws a `Refused`, or what `fetch` throws.
 */
export async function listJobs(
  { q, status, after }: Filter,
  signal: AbortSignal,
): Promise<JobPage> {
  const jobs: Job[] = [];
  let next: string | null = after || null;
  do {
    const query = {
      limit: String(PAGE - jobs.length),
      ...searched(q),
      ...(status && { status }),
      ...(next && { cursor: next }),
    };
    const answer = await api.jobs.$get({ query }, { init: { signal } });
    if (!answer.ok) throw new Refused(await answer.json());
    const page = await answer.json();
    jobs.push(...page.jobs);
    next = page.nextCursor;
  } while (jobs.length < PAGE && next !== null);
  return { jobs, next };
}

import { useState } from 'hono/jsx/dom';
import { pause } from '../../../platform/waiting/backoff.ts';
import { insist, Refused } from '../insist.ts';
import { useStore } from '../store.ts';
import { token } from '../token.ts';
import { useEffect } from '../use-effect.ts';
import { type Filter, type Id, type Job, type JobPage, listJobs, type Slots } from './jobs.ts';

/**
 * The pause before a page that is not full is read again. New jobs appear on such a page, and the
 * event stream does not report new jobs.
 */
const LOOK_AGAIN_MS = 10_000;

export interface Jobs extends JobPage {
  /** False while a page is loading. During this time, the jobs of the previous page are shown. */
  isReady: boolean;
  /** The reason why there are no jobs. Undefined if all is well. */
  trouble: string | undefined;
  /** Shows the latest state of these jobs. */
  put(jobs: Job[]): void;
  /** Shows the latest slots of a job. */
  putSlots(id: Id, slots: Slots): void;
  remove(id: Id): void;
}

/**
 * Reads the jobs of a page. After that, only `put`, `putSlots` and `remove` change listed jobs. A
 * page that is not full also gets newly posted jobs.
 */
export function useJobs({ companyId, q, status, after, size }: Filter): Jobs {
  const bearer = useStore(token);
  const [page, setPage] = useState<JobPage>({ jobs: [], next: null });
  const [isReady, setReady] = useState(false);
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  const setJobs = (change: (jobs: Job[]) => Job[]) =>
    setPage((before) => ({ ...before, jobs: change(before.jobs) }));

  useEffect(() => {
    const leaving = new AbortController();
    setReady(false);
    void keepListing({ companyId, q, status, after, size }, leaving.signal, {
      onPage: (found) => {
        setPage(found);
        setReady(true);
        setTrouble(undefined);
      },
      onLater: (found) => setPage((before) => withNew(before, found, size)),
      onTrouble: setTrouble,
    });
    return () => leaving.abort();
  }, [companyId, q, status, after, size, bearer]);

  return {
    ...page,
    isReady,
    trouble,
    put(latest) {
      const byId = new Map(latest.map((job) => [job.id, job]));
      setJobs((jobs) => jobs.map((each) => byId.get(each.id) ?? each));
    },
    putSlots: (id, slots) =>
      setJobs((jobs) => jobs.map((each) => (each.id === id ? { ...each, ...slots } : each))),
    remove: (id) => setJobs((jobs) => jobs.filter((each) => each.id !== id)),
  };
}

/** Adds new jobs. Listed jobs stay unchanged, because the event stream has their newer state. */
function withNew(before: JobPage, found: JobPage, size: number): JobPage {
  const known = new Set(before.jobs.map(({ id }) => id));
  const added = found.jobs.filter(({ id }) => !known.has(id));
  const jobs = [...before.jobs, ...added].slice(0, size);
  return added.length === 0 && found.next === before.next ? before : { jobs, next: found.next };
}

interface Listeners {
  onPage(page: JobPage): void;
  /** Called each time the same page has been read again. */
  onLater(page: JobPage): void;
  onTrouble(why: string): void;
}

/**
 * Reads the page, and tries again until the service answers. A page that is not full may get new
 * jobs, so it is read again from time to time.
 */
async function keepListing(filter: Filter, signal: AbortSignal, listeners: Listeners) {
  const list = (onFailure?: () => void) =>
    insist((options) => listJobs(filter, options), signal, onFailure);
  try {
    let page = await list(() => listeners.onTrouble('The service does not answer. Asking again…'));
    listeners.onPage(page);
    while (page.jobs.length < filter.size) {
      await pause(LOOK_AGAIN_MS, signal);
      page = await list();
      listeners.onLater(page);
    }
  } catch (error) {
    if (!signal.aborted && error instanceof Refused) listeners.onTrouble(error.message);
  }
}

import { useRef, useState } from 'hono/jsx/dom';
import { Batches } from '../batches.ts';
import { useStore } from '../store.ts';
import { token } from '../token.ts';
import { useEffect } from '../use-effect.ts';
import { useSeen } from '../use-seen.ts';
import { followJobs } from './follow.ts';
import type { Id, Job } from './jobs.ts';

export interface LiveListeners {
  /** The latest state of some jobs. */
  onJobs(jobs: Job[]): void;
  onGone(id: Id): void;
  /** The full state has arrived, so the page is up to date. */
  onLive(): void;
}

export type Liveness = 'connecting' | 'live' | 'reconnecting' | 'crowded';

/**
 * Follows these jobs while the tab is visible, and tells whether the page is up to date. A browser
 * can have only a few streams, so a hidden tab closes its stream. When the tab is visible again, it
 * gets the full state.
 */
export function useLive(ids: readonly Id[], listeners: LiveListeners): Liveness {
  const latest = useRef(listeners);
  latest.current = listeners;
  const [liveness, setLiveness] = useState<Liveness>('connecting');
  const bearer = useStore(token);
  const isSeen = useSeen();
  const key = ids.join();
  useEffect(() => {
    if (!isSeen) setLiveness('connecting');
    if (!isSeen || key === '') return;
    const leaving = new AbortController();
    const batches = new Batches<Job>((jobs) => latest.current?.onJobs(jobs));
    void followJobs(
      ids,
      {
        onJob: (job) => batches.add(job),
        onGone: (id) => {
          batches.flush();
          latest.current?.onGone(id);
        },
        onLive: () => {
          batches.flush();
          setLiveness('live');
          latest.current?.onLive();
        },
        onLost: () => setLiveness('reconnecting'),
        onCrowded: () => setLiveness('crowded'),
      },
      leaving.signal,
    );
    return () => leaving.abort();
  }, [key, isSeen, bearer]);
  return liveness;
}

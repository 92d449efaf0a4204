import { useEffect, useRef, useState } from 'hono/jsx/dom';
import { useStore } from '../parts/store.ts';
import { token } from '../parts/token.ts';
import { followJobs, type Listeners } from './follow.ts';
import type { Id } from './jobs.ts';

export type Liveness = 'connecting' | 'live' | 'reconnecting';

/**
 * Follows these jobs while the tab is seen, and says whether what it shows is the latest. A browser
 * has six connections to a service for all its tabs: hidden ones leave theirs to the others, and
 * catch up as soon as they are seen.
 */
export function useLive(
  ids: readonly Id[],
  listeners: Pick<Listeners, 'onJob' | 'onGone' | 'onLive'>,
): Liveness {
  const latest = useRef(listeners);
  latest.current = listeners;
  const [liveness, setLiveness] = useState<Liveness>('connecting');
  const bearer = useStore(token);
  const isSeen = useSeen();
  const key = ids.join();
  useEffect(() => {
    if (!isSeen || key === '') return;
    const leaving = new AbortController();
    void followJobs(
      ids,
      {
        onJob: (job) => latest.current?.onJob(job),
        onGone: (id) => latest.current?.onGone(id),
        onLive: () => {
          setLiveness('live');
          latest.current?.onLive();
        },
        onLost: () => setLiveness('reconnecting'),
      },
      leaving.signal,
    );
    return () => leaving.abort();
  }, [key, isSeen, bearer]);
  return liveness;
}

function useSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
}

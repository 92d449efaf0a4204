import { useRef, useState } from 'hono/jsx/dom';
import type { FollowStatus } from '../../../client/index.ts';
import { api } from '../api.ts';
import { useStore } from '../store.ts';
import { token } from '../token.ts';
import { useEffect } from '../use-effect.ts';
import { useSeen } from '../use-seen.ts';
import type { Id, Job } from './jobs.ts';

export interface LiveListeners {
  /** Called with the latest state of the jobs that have changed. */
  onJobs(jobs: Job[]): void;
  onGone(id: Id): void;
  /** Called when the full state has arrived, so the page is up to date. */
  onLive(): void;
}

/**
 * Follows these jobs while the tab is visible, and returns whether the page is up to date. Tabs
 * with different jobs need separate event streams, and all tabs of a browser together may have five
 * streams. So a hidden tab follows nothing. When the tab is visible again, it gets the full state.
 */
export function useLive(ids: readonly Id[], listeners: LiveListeners): FollowStatus {
  const latest = useRef(listeners);
  latest.current = listeners;
  const [status, setStatus] = useState<FollowStatus>('connecting');
  const bearer = useStore(token);
  const isSeen = useSeen();
  const key = ids.join();
  useEffect(() => {
    if (!isSeen) setStatus('connecting');
    if (!isSeen || key === '') return;
    return api.followJobs(
      { jobs: ids },
      {
        onJobs(all, changed) {
          const { onJobs, onGone } = latest.current ?? listeners;
          onJobs(changed.flatMap((id) => all.get(id) ?? []));
          for (const id of changed) if (!all.has(id)) onGone(id);
        },
        onStatus(now) {
          setStatus(now);
          if (now === 'live') latest.current?.onLive();
        },
      },
    );
  }, [key, isSeen, bearer]);
  return status;
}

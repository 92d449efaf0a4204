import { useEffect, useState, useSyncExternalStore } from 'react';
import { Claiming, type JobsToClaim } from './claiming.ts';
import type { Rowlock } from './client.ts';
import type { FollowedJobs } from './follow/follow.ts';
import type { Id } from './operations.generated.ts';

export type { JobsToClaim, JobToClaim } from './claiming.ts';

export interface UsedJobs extends JobsToClaim {
  /** Claims the job. With `leaseSeconds`, the claim ends by itself after this time. */
  claim(jobId: Id, leaseSeconds?: number): Promise<void>;
  /** Releases the recruiter's claim on the job. */
  release(jobId: Id): Promise<void>;
}

/**
 * Keeps the jobs that a recruiter may claim up to date:
 *
 *     const { jobs, status, claim, release } = useJobs(rowlock, { company: 1 }, 7);
 *
 * Make the client once, outside of the component. A claim is shown immediately, before the service
 * has answered. If the service refuses the claim, the claim disappears and the job has a `problem`.
 */
export function useJobs(rowlock: Rowlock, what: FollowedJobs, recruiterId: Id): UsedJobs {
  const key = JSON.stringify([what, recruiterId]);
  const [claiming, setClaiming] = useState<Claiming>();
  useEffect(() => {
    // The arguments may be new objects at each render, but their text stays the same.
    const [followed, recruiter] = JSON.parse(key) as [FollowedJobs, Id];
    const made = new Claiming(rowlock, followed, recruiter);
    setClaiming(made);
    return () => made.stop();
  }, [rowlock, key]);
  const state = useSyncExternalStore(
    claiming?.subscribe ?? subscribeToNothing,
    claiming?.get ?? getNothing,
    getNothing,
  );
  return {
    ...state,
    claim: async (...args) => claiming?.claim(...args),
    release: async (jobId) => claiming?.release(jobId),
  };
}

const nothing: JobsToClaim = { jobs: [], status: 'connecting', problem: undefined };
const getNothing = () => nothing;
const subscribeToNothing = () => () => undefined;

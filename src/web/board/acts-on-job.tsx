import { ActButton } from './act-button.tsx';
import type { Job } from './jobs.ts';
import type { Attempt } from './use-acts.ts';
import type { Claim } from './use-held.ts';

export interface ActsProps {
  job: Job;
  /** The claim of who looks at it, if they hold it. */
  claim: Claim | undefined;
  attempt: Attempt | undefined;
  onClaim(): void;
  onRelease(): void;
  onRenew(): void;
}

/**
 * What can be done with a job. To claim it also where it is full: whether it still is when the claim
 * arrives, only the service knows.
 */
export function Acts({ job, claim, attempt, onClaim, onRelease, onRenew }: ActsProps) {
  const shared = { subject: job.role, attempt };
  if (!claim)
    return (
      <div class="acts" key="claim">
        <ActButton act="claim" {...shared} isPrimary={job.remaining > 0} onPress={onClaim} />
      </div>
    );
  return (
    <div class="acts" key="held">
      {claim.expiresAt && <ActButton act="renew" {...shared} onPress={onRenew} />}
      <ActButton act="release" {...shared} onPress={onRelease} />
    </div>
  );
}

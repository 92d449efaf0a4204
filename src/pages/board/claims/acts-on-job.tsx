import { ActButton } from '../../parts/acts/act-button.tsx';
import type { PendingAct } from '../../parts/acts/use-acts.ts';
import type { Job } from '../../parts/jobs/jobs.ts';
import type { Claim } from './use-held.ts';

const CLAIM = ['Claim', 'Claiming…'] as const;
const RENEW = ['Renew', 'Renewing…'] as const;
const RELEASE = ['Release', 'Releasing…'] as const;

export interface ActsProps {
  job: Job;
  /** The chosen recruiter's claim on this job. Undefined if there is no claim. */
  claim: Claim | undefined;
  attempt: PendingAct | undefined;
  onClaim(): void;
  onRelease(): void;
  onRenew(): void;
}

/**
 * Shows the buttons of a job. A full job has a Claim button too, since only the service knows
 * whether the job is still full when the claim arrives.
 */
export function Acts({ job, claim, attempt, onClaim, onRelease, onRenew }: ActsProps) {
  const shared = { subject: job.role, attempt };
  if (!claim)
    return (
      <div class="acts" key="claim">
        <ActButton
          act="claim"
          words={CLAIM}
          {...shared}
          isPrimary={job.remaining > 0}
          onPress={onClaim}
        />
      </div>
    );
  return (
    <div class="acts" key="held">
      {claim.expiresAt && <ActButton act="renew" words={RENEW} {...shared} onPress={onRenew} />}
      <ActButton act="release" words={RELEASE} {...shared} onPress={onRelease} />
    </div>
  );
}

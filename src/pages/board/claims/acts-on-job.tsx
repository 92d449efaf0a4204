import { ActButton } from '../../parts/acts/act-button.tsx';
import { SoonSent } from '../../parts/acts/soon-sent.tsx';
import type { PendingAct } from '../../parts/acts/use-acts.ts';
import type { Delayed } from '../../parts/acts/use-undo.ts';
import type { Job } from '../../parts/jobs/jobs.ts';
import type { Claim } from './use-held.ts';
import { type DelayedAct, delayedActs } from './words.ts';

const CLAIM = ['Claim', 'Claiming…'] as const;
const RENEW = ['Renew', 'Renewing…'] as const;
const RELEASE = ['Release', 'Releasing…'] as const;
const JOIN = ['Line up', 'Joining…'] as const;
const LEAVE = ['Leave the line', 'Leaving…'] as const;
const ACCEPT = ['Accept', 'Accepting…'] as const;
const DECLINE = ['Decline', 'Declining…'] as const;
const UNDO = ['Undo', 'Undo'] as const;

export interface ActsProps {
  job: Job;
  /** The chosen recruiter's claim on this job. Undefined if there is no claim. */
  claim: Claim | undefined;
  /** The chosen recruiter's place in the line of this job. Undefined if the recruiter does not wait. */
  place: number | undefined;
  attempt: PendingAct | undefined;
  /** The press that waits for its request. Undefined if there is no such press. */
  delayed: Delayed<DelayedAct> | undefined;
  onUndo(): void;
  onClaim(): void;
  onRelease(): void;
  onRenew(): void;
  onJoin(): void;
  onLeave(): void;
  onAccept(): void;
}

/**
 * Shows the buttons of a job. A full job has a Claim button too, since only the service knows
 * whether the job is still full when the claim arrives.
 */
export function Acts(props: ActsProps) {
  const { job, claim, place, attempt, delayed } = props;
  const shared = { subject: job.role, attempt };
  if (delayed) {
    const { act, sendsAt, isSent } = delayed;
    const sending = isSent ? { act, isAgain: false } : attempt;
    return (
      <div class="acts delayed" key="delayed">
        <SoonSent words={delayedActs[act].words} sendsAt={sendsAt} />
        <ActButton act="undo" words={UNDO} {...shared} attempt={sending} onPress={props.onUndo} />
      </div>
    );
  }
  if (claim?.offer)
    return (
      <div class="acts" key="offer">
        <ActButton act="accept" words={ACCEPT} {...shared} isPrimary onPress={props.onAccept} />
        <ActButton act="decline" words={DECLINE} {...shared} onPress={props.onRelease} />
      </div>
    );
  if (claim)
    return (
      <div class="acts" key="held">
        {claim.expiresAt && (
          <ActButton act="renew" words={RENEW} {...shared} onPress={props.onRenew} />
        )}
        <ActButton act="release" words={RELEASE} {...shared} onPress={props.onRelease} />
      </div>
    );
  if (place !== undefined)
    return (
      <div class="acts" key="waits">
        <ActButton act="leave" words={LEAVE} {...shared} onPress={props.onLeave} />
      </div>
    );
  const isFull = job.remaining === 0;
  return (
    <div class="acts" key="claim">
      <ActButton
        act="claim"
        words={CLAIM}
        {...shared}
        isPrimary={!isFull}
        onPress={props.onClaim}
      />
      {isFull && <ActButton act="join" words={JOIN} {...shared} onPress={props.onJoin} />}
    </div>
  );
}

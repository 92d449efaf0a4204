import { useEffect, useRef } from 'hono/jsx/dom';
import { ActButton } from './act-button.tsx';
import { Countdown } from './countdown.tsx';
import type { Job } from './jobs.ts';
import { Slots } from './slots.tsx';
import type { Attempt } from './use-acts.ts';
import type { Claim } from './use-held.ts';
import type { Note } from './words.ts';

export interface JobRowProps {
  job: Job;
  /** The claim of who looks at it, if they hold it. */
  claim: Claim | undefined;
  attempt: Attempt | undefined;
  note: Note | undefined;
  onClaim(): void;
  onRelease(claim: Claim): void;
  onRenew(claim: Claim): void;
  onLeaseOver(): void;
}

export function JobRow(props: JobRowProps) {
  const { job, claim, attempt, note, onLeaseOver } = props;
  const role = useRef<HTMLHeadingElement>(null);
  const wasPressed = useRef(false);
  const isHeld = claim !== undefined;
  if (attempt) wasPressed.current = true;
  // The button that was pressed is gone: who uses the keyboard goes on from this row, and does not
  // press the next button with the same stroke.
  useEffect(() => {
    if (wasPressed.current && document.activeElement === document.body)
      role.current?.focus({ preventScroll: true });
    wasPressed.current = false;
  }, [isHeld]);
  return (
    <li class={isHeld ? 'job held' : 'job'}>
      <div class="job-about">
        <h2 ref={role} tabIndex={-1}>
          {job.role}
        </h2>
        <p>
          {job.company.name}
          {claim && <Yours claim={claim} onLeaseOver={onLeaseOver} />}
        </p>
      </div>
      <Slots {...job} isYours={isHeld} />
      {claim ? <ActsOnHeld {...props} claim={claim} /> : <ActsOnOther {...props} />}
      <p class="note">
        {attempt?.isAgain ? 'The service is busy. Asking again…' : refusalIn(note)}
      </p>
    </li>
  );
}

/** What succeeded is seen without words. */
const refusalIn = (note: Note | undefined): string => (note && !note.isGood ? note.text : '');

const Yours = ({ claim, onLeaseOver }: { claim: Claim; onLeaseOver(): void }) => (
  <strong class="badge">
    yours
    {claim.expiresAt && <Countdown expiresAt={claim.expiresAt} onEnd={onLeaseOver} />}
  </strong>
);

/** Also for a full job: whether it still is when the claim arrives, only the service knows. */
function ActsOnOther({ job, attempt, onClaim }: JobRowProps) {
  return (
    <div class="acts" key="other">
      <ActButton
        act="claim"
        subject={job.role}
        attempt={attempt}
        isPrimary={job.remaining > 0}
        onPress={onClaim}
      />
    </div>
  );
}

function ActsOnHeld(props: JobRowProps & { claim: Claim }) {
  const { job, claim, attempt, onRelease, onRenew } = props;
  const shared = { subject: job.role, attempt };
  return (
    <div class="acts" key="held">
      {claim.expiresAt && <ActButton act="renew" {...shared} onPress={() => onRenew(claim)} />}
      <ActButton act="release" {...shared} onPress={() => onRelease(claim)} />
    </div>
  );
}

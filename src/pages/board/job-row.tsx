import { useRef } from 'hono/jsx/dom';
import { ASKING_AGAIN, type Note } from '../parts/acts/notes.ts';
import { Slots } from '../parts/jobs/slots.tsx';
import { useEffect } from '../parts/use-effect.ts';
import { Acts, type ActsProps } from './claims/acts-on-job.tsx';
import { Countdown } from './claims/countdown.tsx';
import type { Claim } from './claims/use-held.ts';

export interface JobRowProps extends ActsProps {
  note: Note | undefined;
  onLeaseOver(): void;
}

export function JobRow(props: JobRowProps) {
  const { job, claim, attempt, note, onClaim, onRelease, onRenew, onLeaseOver } = props;
  const role = useRef<HTMLHeadingElement>(null);
  const wasPressed = useRef(false);
  const isHeld = claim !== undefined;
  // The pressed button is gone, so no element has the focus. The heading of this row gets the
  // focus. So keyboard users stay at this row, and do not press a new button by accident.
  useEffect(() => {
    if (wasPressed.current && document.activeElement === document.body)
      role.current?.focus({ preventScroll: true });
    wasPressed.current = false;
  }, [isHeld]);
  const pressed = (act: () => void) => () => {
    wasPressed.current = true;
    act();
  };
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
      <Acts
        {...props}
        onClaim={pressed(onClaim)}
        onRelease={pressed(onRelease)}
        onRenew={pressed(onRenew)}
      />
      <p class="note">{attempt?.isAgain ? ASKING_AGAIN : refusalIn(note)}</p>
    </li>
  );
}

/**
 * Returns the words of a refusal. Returns an empty text for a success, because the row itself shows
 * the success.
 */
const refusalIn = (note: Note | undefined): string => (note && !note.isGood ? note.text : '');

const Yours = ({ claim, onLeaseOver }: { claim: Claim; onLeaseOver(): void }) => (
  <strong class="badge">
    yours
    {claim.expiresAt && <Countdown expiresAt={claim.expiresAt} onEnd={onLeaseOver} />}
  </strong>
);

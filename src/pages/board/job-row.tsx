import { useRef } from 'hono/jsx/dom';
import { ASKING_AGAIN, type Note } from '../parts/acts/notes.ts';
import { Countdown } from '../parts/countdown.tsx';
import { Slots } from '../parts/jobs/slots.tsx';
import { useEffect } from '../parts/use-effect.ts';
import { Acts, type ActsProps } from './claims/acts-on-job.tsx';
import type { Claim } from './claims/use-held.ts';
import { placeInWords } from './claims/words.ts';

export interface JobRowProps extends ActsProps {
  note: Note | undefined;
  onLeaseOver(): void;
}

export function JobRow(props: JobRowProps) {
  const { job, claim, place, attempt, delayed, note, onLeaseOver } = props;
  const role = useRef<HTMLHeadingElement>(null);
  const wasPressed = useRef(false);
  const isHeld = claim !== undefined;
  const standing = claim?.offer ? 'offer' : isHeld ? 'held' : place === undefined ? '' : 'waits';
  // The pressed button is gone, so no element has the focus. The heading of this row gets the
  // focus. So keyboard users stay at this row, and do not press a new button by accident.
  useEffect(() => {
    if (wasPressed.current && document.activeElement === document.body)
      role.current?.focus({ preventScroll: true });
    // The button Undo also goes away by itself, and it may have the focus then.
    wasPressed.current = delayed !== undefined;
  }, [standing, delayed !== undefined]);
  const pressed = (act: () => void) => () => {
    wasPressed.current = true;
    act();
  };
  return (
    <li class={`job ${standing}`.trim()}>
      <div class="job-about">
        <h2 ref={role} tabIndex={-1}>
          {job.role}
        </h2>
        <p>
          {job.company.name}
          {claim && <Yours claim={claim} onLeaseOver={onLeaseOver} />}
          {!claim && place !== undefined && (
            <strong class="badge waiting">{placeInWords(place)}</strong>
          )}
        </p>
      </div>
      <Slots {...job} isYours={isHeld} />
      <Acts
        {...props}
        onUndo={pressed(props.onUndo)}
        onClaim={pressed(props.onClaim)}
        onRelease={pressed(props.onRelease)}
        onRenew={pressed(props.onRenew)}
        onJoin={pressed(props.onJoin)}
        onLeave={pressed(props.onLeave)}
        onAccept={pressed(props.onAccept)}
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
    {claim.offer ? 'offered' : 'yours'}
    {claim.expiresAt && <Countdown expiresAt={claim.expiresAt} onEnd={onLeaseOver} />}
  </strong>
);

import type { PlayedSession } from '../api.ts';
import { Action } from './action.tsx';
import { type EventKey, names, placeOfEffect, sayEvent } from './words.ts';

interface LaneProps {
  played: PlayedSession;
  /** The name of the session, such as `Recruiter 1`. */
  who: string;
  ending: string | null;
  isVictim: boolean;
  canStep: boolean;
  onStep: () => void;
  /** The events about this session that the situation allows. */
  events: LaneEvent[];
}

export interface LaneEvent {
  key: EventKey;
  isPossible: boolean;
  onChoose: () => void;
}

/** Shows one session: its next statement or effect, or its wait, or its end. */
export function Lane({ played, who, ending, isVictim, canStep, onStep, events }: LaneProps) {
  const { session, isDead } = played;
  const status = isVictim ? 'victim' : played.status;
  return (
    <section
      class={`lane s${session} ${status} ${isDead ? 'dead' : ''}`}
      aria-labelledby={`lane-${session}`}
    >
      <h3 id={`lane-${session}`}>
        {isDead && <span aria-hidden="true">✕ </span>}S{session} <span class="who">{who}</span>
      </h3>
      {/* The button does not move, even if the statement is long. It is not `disabled`, since a
          disabled button loses the keyboard focus. */}
      <button type="button" class="primary" aria-disabled={String(!canStep)} onClick={onStep}>
        Step S{session} <kbd>{session}</kbd>
      </button>
      <p class="status">{isVictim ? 'stopped by PostgreSQL' : inWords(played)}</p>
      {played.statement !== null && <Next played={played} />}
      {ending !== null && !isDead && <p class="ending">{ending}</p>}
      <div class="acts">
        {events.map(({ key, isPossible, onChoose }) => (
          <Action
            key={key}
            name={capital(sayEvent(key, played))}
            keys={[key, String(session)]}
            isOff={!isPossible}
            onPress={onChoose}
          />
        ))}
      </div>
    </section>
  );
}

/**
 * Shows the next statement or effect. An effect does not look like a statement, since no rollback
 * takes an effect back.
 */
const Next = ({ played: { statement, isEffect, isInMemory } }: { played: PlayedSession }) =>
  isEffect ? (
    <p class="effect">
      <span class="outside">{placeOfEffect(isInMemory)}</span> {statement}
    </p>
  ) : (
    <code class="statement">{statement}</code>
  );

function inWords({ status, waitsFor, isDead }: PlayedSession): string {
  if (isDead && status === 'ended') return 'its process has died';
  if (isDead) return `its process has died, but PostgreSQL still waits for ${names(waitsFor)} in:`;
  return {
    ready: 'would run next:',
    running: 'runs',
    waiting: `waits for ${names(waitsFor)} in:`,
    asleep: 'sleeps until time passes',
    elsewhere: 'waits for something in memory',
    ended: 'was told:',
  }[status];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

import type { PlayedSession } from '../api.ts';
import { names } from './words.ts';

interface LaneProps {
  played: PlayedSession;
  /** Such as `Recruiter 1`. */
  who: string;
  ending: string | null;
  isVictim: boolean;
  canStep: boolean;
  onStep: () => void;
}

/** One session: its next statement, or its wait, or its end. */
export function Lane({ played, who, ending, isVictim, canStep, onStep }: LaneProps) {
  const { session, statement } = played;
  const status = isVictim ? 'victim' : played.status;
  return (
    <section class={`lane s${session} ${status}`} aria-labelledby={`lane-${session}`}>
      <h3 id={`lane-${session}`}>
        S{session} <span class="who">{who}</span>
      </h3>
      <p class="status">{isVictim ? 'stopped by PostgreSQL' : inWords(played)}</p>
      {statement !== null && <code class="statement">{statement}</code>}
      {ending !== null && <p class="ending">{ending}</p>}
      {/* Not `disabled`, since a disabled button loses the keyboard focus. */}
      <button type="button" class="primary" aria-disabled={String(!canStep)} onClick={onStep}>
        Step S{session} <kbd>{session}</kbd>
      </button>
    </section>
  );
}

function inWords({ status, waitsFor }: PlayedSession): string {
  return {
    ready: 'would run next:',
    running: 'runs',
    waiting: `waits for ${names(waitsFor)} in:`,
    asleep: 'sleeps until time passes',
    elsewhere: 'waits for something in memory',
    ended: 'was told:',
  }[status];
}

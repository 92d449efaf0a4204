import type { PlayedSession } from '../api.ts';
import { names } from './words.ts';

interface LaneProps {
  played: PlayedSession;
  ending: string | null;
  isVictim: boolean;
  canStep: boolean;
  onStep: () => void;
}

/** One recruiter: what its session would run next, or waits for, or has come to. */
export function Lane({ played, ending, isVictim, canStep, onStep }: LaneProps) {
  const { session, statement } = played;
  const status = isVictim ? 'victim' : played.status;
  return (
    <section class={`lane s${session} ${status}`} aria-labelledby={`lane-${session}`}>
      <h3 id={`lane-${session}`}>
        S{session} <span class="who">Recruiter {session}</span>
      </h3>
      <p class="status">{isVictim ? 'given up by PostgreSQL' : inWords(played)}</p>
      {statement !== null && <code class="statement">{statement}</code>}
      {ending !== null && <p class="ending">{ending}</p>}
      {/* Not disabled: whoever works by keyboard would lose the place. */}
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

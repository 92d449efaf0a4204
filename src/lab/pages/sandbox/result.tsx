import { useState } from 'hono/jsx/dom';
import type { Tried } from '../../sandbox/run.ts';
import type { ToldSchedule } from '../api.ts';
import { Endings } from '../explore/endings.tsx';
import { Player } from '../explore/player.tsx';
import { SwimLanes } from '../swim-lanes.tsx';
import { TranscriptText } from '../transcript.tsx';

/**
 * The words for faults other than a false check. The state of the tables already says that the
 * check is false.
 */
const faults = [
  { name: 'deadlock', inWords: 'deadlocked' },
  { name: 'hang', inWords: 'never ended' },
];

/** Returns the verdict in words, such as `Of 20 schedules, the check was false in 18.` */
export function inWords({ schedules, isComplete, faults }: Tried): string {
  const played = `${isComplete ? '' : 'the first '}${schedules} schedules`;
  const { broken, deadlock, hang } = faults;
  const found = [
    broken && `the check was false in ${broken}`,
    deadlock && `sessions deadlocked in ${deadlock}`,
    hang && 'a session never ended',
  ].filter(Boolean);
  if (found.length > 0) return `Of ${played}, ${found.join(', and ')}.`;
  return isComplete ? `All ${played} hold.` : `None of ${played} went wrong.`;
}

/** Shows the verdict on an experiment, with the clearest counterexample. */
export function Result({ done }: { done: Tried }) {
  const { counterexample, isComplete, serializationFailures } = done;
  const kind = counterexample ? 'bad' : isComplete ? 'good' : '';
  const mark = counterexample ? '✗ ' : isComplete ? '✓ ' : '';
  return (
    <>
      <p class={`result ${kind}`}>
        <span aria-hidden="true">{mark}</span>
        {inWords(done)}
      </p>
      {done.isNoRace && (
        <p>It goes wrong even when the sessions run one after the other. So this is no race.</p>
      )}
      {!isComplete && (
        <p>
          There are more schedules. The sandbox plays for a few seconds only. Type fewer statements.
        </p>
      )}
      {serializationFailures > 0 && (
        <p>
          In {serializationFailures} schedules PostgreSQL refused to serialize a transaction and
          rolled it back. A program would try again.
        </p>
      )}
      {counterexample && <Counterexample told={counterexample} />}
    </>
  );
}

function Counterexample({ told }: { told: ToldSchedule }) {
  const last = told.steps.length;
  const [shown, setShown] = useState(last);
  return (
    <section aria-labelledby="counterexample">
      <h3 id="counterexample">The clearest counterexample</h3>
      <div class="toolbar">
        <Player shown={shown} last={last} onShow={setShown} />
      </div>
      <SwimLanes
        sessions={told.sessions}
        steps={told.steps.slice(0, shown)}
        afterwards={undefined}
      />
      {shown === last && <Endings told={told} faults={faults} />}
      <TranscriptText told={told} />
    </section>
  );
}

import { useMemo, useState } from 'hono/jsx/dom';
import type { Experiment } from '../../sandbox/experiment.ts';
import type { Tried } from '../../sandbox/run.ts';
import type { ToldSchedule } from '../api.ts';
import { Steps } from '../explore/steps.tsx';
import { focusOn } from '../focus.ts';
import { OrdersMap } from '../map/orders-map.tsx';
import { Progress } from '../progress.tsx';
import { usePlaying } from '../use-run.ts';

/** The words for faults other than a false check. The end already says that the check is false. */
const otherFaults = [
  { name: 'deadlock', inWords: 'deadlocked' },
  { name: 'hang', inWords: 'never ended' },
];
const faults = [{ name: 'broken', inWords: 'break the check' }, ...otherFaults];

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

const ORDER = 'order';

/**
 * Shows the verdict on an experiment, the map of all orders, and one order: the clearest
 * counterexample, or the order that a person has chosen on the map.
 */
export function Result({ done, experiment }: { done: Tried; experiment: Experiment }) {
  const [chosen, choose] = useState<string | undefined>(undefined);
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
      <h3>The map of all orders</h3>
      <OrdersMap
        orders={done.orders}
        isComplete={isComplete}
        faults={faults}
        hrefOf={() => undefined}
        onOpen={(schedule) => {
          choose(schedule);
          focusOn(ORDER);
        }}
      />
      {chosen !== undefined && <Chosen key={chosen} experiment={experiment} schedule={chosen} />}
      {chosen === undefined && counterexample && (
        <section aria-labelledby={ORDER}>
          <h3 id={ORDER}>The clearest counterexample</h3>
          <Steps told={counterexample} faults={otherFaults} />
        </section>
      )}
    </>
  );
}

interface ChosenProps {
  experiment: Experiment;
  schedule: string;
}

/** Plays one order of an experiment, and shows its steps. */
function Chosen({ experiment, schedule }: ChosenProps) {
  const request = useMemo(
    () => ({ path: '/sandbox/orders', body: { ...experiment, schedule } }),
    [schedule],
  );
  const playing = usePlaying<ToldSchedule>(request);
  return (
    <section aria-labelledby={ORDER}>
      <h3 id={ORDER} tabindex={-1}>
        The order {schedule}
      </h3>
      {playing && <Progress exploring={playing} />}
      {playing?.name === 'done' && <Steps told={playing.data} faults={otherFaults} />}
    </section>
  );
}

import type { Explored } from '../../../lab/explorations/exploration.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { Choose } from '../choose.tsx';
import type { PartProps } from '../part.ts';
import { inWords } from '../verdict.tsx';
import { Counterexample } from './counterexample.tsx';
import { Progress } from './progress.tsx';
import { useExploration } from './use-exploration.ts';

/** All schedules of a strategy; and the one that shows best what is wrong with it, step by step. */
export function Explore(props: PartProps) {
  const { place, go } = props;
  const { strategy, scenario, sessions } = place;
  const isWanted = place.step !== null;
  const exploring = useExploration({ strategy, scenario, sessions }, isWanted);
  const done = exploring?.name === 'done' ? exploring.data : undefined;
  return (
    <>
      <h2>Explore</h2>
      <p class="lead">
        A race shows what happened to happen. Here every order of the recruiters’ statements is
        played on a real PostgreSQL: what can happen, does.
      </p>
      <div class="toolbar">
        <Choose {...props} />
        {isWanted ? (
          <button type="button" onClick={() => go({ step: null })}>
            {done ? 'Clear' : 'Stop'}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => go({ step: FROM_THE_END })}>
            Run every schedule
          </button>
        )}
      </div>
      <p class="unseen" role="status">
        {exploring && !done && exploring.name !== 'failed' ? 'Running every schedule' : ''}
        {done ? resultOf(done) : ''}
      </p>
      {exploring && <Progress exploring={exploring} />}
      {done && <Result done={done} {...props} />}
    </>
  );
}

/** Past every end: the whole counterexample is shown. */
const FROM_THE_END = 999;

const resultOf = ({ schedules, faults, isComplete }: Explored): string =>
  isComplete
    ? inWords(schedules, faults)
    : `${inWords(schedules, faults)} There are more, which are not played here: npm run explore plays them all.`;

function Result({ done, place, go }: PartProps & { done: Explored }) {
  const { counterexample, isComplete } = done;
  const holds = isComplete && !counterexample;
  const last = counterexample?.steps.length ?? 0;
  const shown = Math.min(Math.max(0, place.step ?? last), last);
  useEffect(() => go({ step: shown }), [shown]);
  return (
    <>
      <p class={`result ${holds ? 'good' : 'bad'}`}>
        <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {resultOf(done)}
      </p>
      {counterexample && (
        <Counterexample told={counterexample} shown={shown} place={place} go={go} />
      )}
    </>
  );
}

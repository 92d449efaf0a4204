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
            {done || exploring?.name === 'failed' ? 'Clear' : 'Stop'}
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

function resultOf({ schedules, faults, isComplete, counterexample }: Explored): string {
  const isProven = isComplete || counterexample;
  const found = isProven
    ? inWords(schedules, faults)
    : `None of ${schedules} schedules went wrong.`;
  return isComplete ? found : `${found} There are more than are played here.`;
}

const commandOf = ({ strategy, scenario, sessions }: Explored): string =>
  `npm run explore -- --strategy ${strategy} --scenario ${scenario} --sessions ${sessions}`;

/** What is neither proven nor refuted has no mark. */
function markOf({ isComplete, counterexample }: Explored) {
  if (counterexample) return { kind: 'bad', mark: '✗ ' };
  return isComplete ? { kind: 'good', mark: '✓ ' } : { kind: '', mark: '' };
}

function Result({ done, place, go }: PartProps & { done: Explored }) {
  const { counterexample } = done;
  const { kind, mark } = markOf(done);
  const last = counterexample?.steps.length ?? 0;
  const shown = Math.min(Math.max(0, place.step ?? last), last);
  useEffect(() => go({ step: shown }), [shown]);
  return (
    <>
      <p class={`result ${kind}`}>
        <span aria-hidden="true">{mark}</span>
        {resultOf(done)}
      </p>
      {!done.isComplete && (
        <p>
          All of them, on the command line: <code>{commandOf(done)}</code>
        </p>
      )}
      {counterexample && (
        <Counterexample told={counterexample} shown={shown} place={place} go={go} />
      )}
    </>
  );
}

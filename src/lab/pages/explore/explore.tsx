import { useMemo } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { Explored } from '../../explorations/exploration.ts';
import type { SyllabusEntry, ToldChapter } from '../api.ts';
import { Choose } from '../choose.tsx';
import { Goal } from '../lessons/goal.tsx';
import { Maps } from '../map/maps.tsx';
import {
  askedBy,
  chapterOf,
  entryAt,
  explorationAt,
  type PartProps,
  situationAt,
} from '../part.ts';
import { FROM_THE_END } from '../place.ts';
import { Progress } from '../progress.tsx';
import { usePlaying } from '../use-run.ts';
import { inWords } from '../verdict.tsx';
import { Before } from './before.tsx';
import { Counterexample } from './counterexample.tsx';

/**
 * Plays all schedules of a strategy, and shows the clearest schedule for its gravest fault, step by
 * step.
 */
export function Explore(props: PartProps) {
  const { place, go } = props;
  const strategy = askedBy(props.strategies, place);
  const entry = entryAt(props.strategies, strategy);
  const chapter = chapterOf(props, entry);
  const isWanted = place.step !== null;
  const path = explorationAt(props.strategies, place);
  const request = useMemo(() => (isWanted ? { path } : undefined), [path, isWanted]);
  const exploring = usePlaying<Explored>(request);
  const done = exploring?.name === 'done' ? exploring.data : undefined;
  return (
    <>
      <h2>Explore</h2>
      <Goal {...props} seen={done ? ['explored'] : []} />
      <p class="lead">
        A race shows a few orders of the statements. This page plays every order on a real
        PostgreSQL{chapter.afterwards && ', with every event that the situation allows'}. We call
        such an order a <b>schedule</b>.
      </p>
      <div class="toolbar">
        <Choose {...props} />
        {isWanted ? (
          <button type="button" onClick={() => go({ step: null })}>
            {done || exploring?.name === 'failed' ? 'Clear' : 'Stop'}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => go({ step: firstStep(place) })}>
            Play every order
          </button>
        )}
      </div>
      <p class="unseen" role="status">
        {exploring && !done && exploring.name !== 'failed' ? 'Playing every order' : ''}
        {done ? resultOf(chapter, done) : ''}
      </p>
      {!isWanted && <Before chapter={chapter} proof={situationAt(entry, place)} />}
      {exploring && <Progress exploring={exploring} />}
      {done && (
        <Result
          {...props}
          key={path}
          done={done}
          chapter={chapter}
          entry={entry}
          place={{ ...place, strategy }}
        />
      )}
    </>
  );
}

/**
 * Returns the first step that is shown. A student in a lesson begins at step 1. Other visitors
 * immediately see the whole counterexample.
 */
const firstStep = ({ lesson }: PartProps['place']) => (lesson > 0 ? 1 : FROM_THE_END);

function resultOf(chapter: ToldChapter, done: Explored): string {
  const found = inWords(chapter, done);
  return done.isComplete ? found : `${found} There are more schedules than the server plays.`;
}

const commandOf = (
  { strategy, situation, sessions }: Explored,
  { options = `--strategy ${strategy}` }: Partial<SyllabusEntry> = {},
): string => `npm run explore -- ${options} --situation ${situation} --sessions ${sessions}`;

/** Returns the mark of a result. A strategy that is neither proven nor refuted has no mark. */
function markOf({ isComplete, counterexample }: Explored) {
  if (counterexample) return { kind: 'bad', mark: '✗ ' };
  return isComplete ? { kind: 'good', mark: '✓ ' } : { kind: '', mark: '' };
}

interface ResultProps extends PartProps {
  done: Explored;
  chapter: ToldChapter;
  entry: SyllabusEntry | undefined;
}

function Result({ done, chapter, entry, ...props }: ResultProps) {
  const { place, go } = props;
  const { counterexample } = done;
  const { kind, mark } = markOf(done);
  const last = counterexample?.steps.length ?? 0;
  const shown = Math.min(Math.max(0, place.step ?? last), last);
  useEffect(() => go({ step: shown }), [shown]);
  return (
    <>
      <p class={`result ${kind}`}>
        <span aria-hidden="true">{mark}</span>
        {resultOf(chapter, done)}
      </p>
      {!done.isComplete && (
        <p>
          This command plays all schedules: <code>{commandOf(done, entry)}</code>
        </p>
      )}
      <Maps {...props} places={[place]} heading="h3" />
      {counterexample && (
        <Counterexample
          told={counterexample}
          shown={shown}
          chapter={chapter}
          entry={entry}
          place={place}
          go={go}
        />
      )}
    </>
  );
}

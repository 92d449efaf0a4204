import { useState } from 'hono/jsx/dom';
import { useStore } from '../../../pages/parts/store.ts';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { PlayedOrders } from '../../explorations/play-orders.ts';
import type { Judged } from '../../lessons/attempt-strategy.ts';
import type { ScriptResult } from '../../sql/attempt-script.ts';
import type { AttemptNews } from '../../sql/script-runs.ts';
import { listScriptRules, type ScriptRules, type ToldChapter, type ToldLesson } from '../api.ts';
import { Steps } from '../explore/steps.tsx';
import { showEnd } from '../lessons/progress.ts';
import { PlaceLink } from '../link.tsx';
import { OrdersMap } from '../map/orders-map.tsx';
import type { PartProps } from '../part.ts';
import { HOME, hrefOf, type Place } from '../place.ts';
import { Progress } from '../progress.tsx';
import type { News } from '../stream.ts';
import { type RunRequest, useRun } from '../use-run.ts';
import { CodeField } from './code-field.tsx';
import { addressOfScript, keepScript, scriptOf, scripts } from './scripts.ts';

interface WriteSqlProps extends PartProps {
  lesson: ToldLesson;
}

/** Lets a visitor write the SQL of a lesson, and plays every order of it. */
export function WriteSql(props: WriteSqlProps) {
  const { number } = props.lesson;
  const [rules, setRules] = useState<ScriptRules | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    listScriptRules().then(
      (all) => setRules(all.find(({ lesson }) => lesson === number)),
      (error: Error) => setFailure(error.message),
    );
  }, []);
  return (
    <section class="write-sql" aria-labelledby={HEADING}>
      <h4 id={HEADING}>Write it in SQL</h4>
      {failure && <p role="alert">{failure}</p>}
      {rules && <Desk {...props} rules={rules} />}
    </section>
  );
}

const HEADING = 'write-sql';
const HINT = 'write-sql-hint';

/** What a visitor knows of a trial so far. */
interface Told {
  first: Judged | undefined;
  latest: News<AttemptNews> | { name: 'asked' };
}

const NOTHING: Told = { first: undefined, latest: { name: 'asked' } };

const add = ({ first }: Told, news: News<AttemptNews>): Told => ({
  first: news.name === 'first' ? news.data : first,
  latest: news,
});

function Desk({ lesson, rules, ...props }: WriteSqlProps & { rules: ScriptRules }) {
  useStore(scripts);
  const text = scriptOf(lesson);
  const [request, setRequest] = useState<RunRequest | undefined>(undefined);
  const told = useRun<AttemptNews, Told>(request, NOTHING, add);
  const { first, latest } = told ?? NOTHING;
  const done = told && latest.name === 'done' ? latest.data : undefined;
  const isBusy = told !== undefined && latest.name !== 'done' && latest.name !== 'failed';
  const isSolved = done?.kind === 'solved';
  useEffect(() => {
    if (isSolved) showEnd(lesson.number, 'reached');
  }, [isSolved]);
  const change = (next: string) => {
    keepScript(lesson.number, next);
    setRequest(undefined);
  };
  const play = () => {
    // Play finds the script in the store, so an unchanged starter must be there too.
    const present = scriptOf(lesson);
    keepScript(lesson.number, present);
    setRequest({ path: '/scripts', body: { lesson: lesson.number, text: present } });
  };
  const result: ScriptResult | undefined = done ?? (first && { ...first, map: null });
  return (
    <>
      <p id={HINT}>
        Ctrl-S plays every order. Each statement is one step, and BEGIN belongs to the statement
        after it.
      </p>
      <CodeField
        label={`SQL of lesson ${lesson.number}`}
        describedBy={HINT}
        text={text}
        most={rules.most}
        onChange={change}
        onSave={play}
      />
      <Help rules={rules} />
      <p class="row">
        {isBusy ? (
          <button type="button" onClick={() => setRequest(undefined)}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={play}>
            Play every order
          </button>
        )}
        {text !== lesson.sql && (
          <button type="button" onClick={() => change(lesson.sql ?? '')}>
            Back to the beginning
          </button>
        )}
      </p>
      <p class="unseen" role="status">
        {isBusy && !first ? 'Playing every order' : ''}
        {result ? sayShort(result) : ''}
      </p>
      {isBusy && first && <p class="progress">Playing the other situations…</p>}
      {told && latest.name !== 'first' && !done && <Progress exploring={latest} />}
      {result && <Result {...props} lesson={lesson} rules={rules} result={result} />}
    </>
  );
}

const sayShort = (result: ScriptResult): string =>
  result.kind === 'unusable' ? result.line : result.says;

/** Explains the names and the commands of a script. */
const Help = ({ rules: { names, commands, answer } }: { rules: ScriptRules }) => (
  <details>
    <summary>Names, commands and the answer</summary>
    <dl class="script-rules">
      {Object.entries(names).map(([name, words]) => (
        <>
          <dt>
            <code>:{name}</code>
          </dt>
          <dd>{words}</dd>
        </>
      ))}
      <dt>
        <code>:column</code>
      </dt>
      <dd>
        Each column that a statement returns is a name for later statements. If no row was found,
        the value is null.
      </dd>
      {Object.entries(commands).map(([name, words]) => (
        <>
          <dt>
            <code>
              \{name} {name === 'retry' ? '10' : ':task'}
            </code>
          </dt>
          <dd>{words}</dd>
        </>
      ))}
    </dl>
    <p>{answer} After an error the script ends, and its transaction is rolled back.</p>
  </details>
);

interface ResultProps extends PartProps {
  lesson: ToldLesson;
  rules: ScriptRules;
  result: ScriptResult;
}

function Result({ lesson, rules, result, place, go, chapters }: ResultProps) {
  if (result.kind === 'unusable')
    return (
      <p class="result bad">
        <span aria-hidden="true">✗ </span>
        {result.line}
      </p>
    );
  const { kind, says, shown, situation, map } = result;
  const chapter = chapters.find(({ name }) => name === rules.chapter);
  const placeIn = (schedule: string, within: string): Place => ({
    ...HOME,
    lesson: lesson.number,
    strategy: addressOfScript(rules.chapter, lesson.number),
    situation: within,
    schedule: schedule.split(','),
  });
  const isSolved = kind === 'solved';
  const [, verdict = says, more = ''] = /^(.+?\.) (.+)$/.exec(says) ?? [];
  return (
    <>
      <p class={isSolved ? 'result good' : 'result bad'}>
        <span aria-hidden="true">{isSolved ? '✓ ' : '✗ '}</span>
        {verdict}
      </p>
      {more && <p>{more}</p>}
      {shown && chapter && (
        <>
          <h5>The clearest counterexample</h5>
          {situation !== undefined && (
            <p class="row">
              <PlaceLink
                place={place}
                go={go}
                to={placeIn(shown.schedule.join(), situation)}
                class="button"
              >
                Open in Play
              </PlaceLink>
            </p>
          )}
          <Steps
            key={shown.schedule.join()}
            told={shown}
            faults={chapter.faults}
            afterwards={chapter.afterwards}
          />
        </>
      )}
      {map && chapter && <MapOf map={map} chapter={chapter} placeIn={placeIn} go={go} />}
    </>
  );
}

interface MapOfProps extends Pick<PartProps, 'go'> {
  map: PlayedOrders;
  chapter: ToldChapter;
  placeIn: (schedule: string, situation: string) => Place;
}

const MapOf = ({
  map: { situation, idea, orders, isComplete },
  chapter,
  placeIn,
  go,
}: MapOfProps) => (
  <>
    <h5>All orders, when {idea}</h5>
    <OrdersMap
      orders={orders}
      isComplete={isComplete}
      faults={chapter.faults}
      hrefOf={({ schedule }) => hrefOf(placeIn(schedule, situation))}
      onOpen={(schedule) => go(placeIn(schedule, situation))}
    />
  </>
);

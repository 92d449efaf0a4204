import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../pages/parts/use-effect.ts';
import type { ToldSchedule } from './api.ts';
import { sessionIn } from './place.ts';
import { lockIn, names, silences, stepsAfterwards } from './play/words.ts';

type ToldStep = ToldSchedule['steps'][number];
type ToldAct = ToldStep['acts'][number];

interface SwimLanesProps extends Pick<ToldSchedule, 'sessions' | 'steps'> {
  /** The events after the end of all sessions. Undefined if nothing happens then. */
  afterwards: string | undefined;
}

/**
 * Shows the steps so far, with a row for each step and a lane for each session. Steps after the end
 * of all sessions have a separate section. The last row is always visible.
 */
export function SwimLanes({ sessions, steps, afterwards }: SwimLanesProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    requestAnimationFrame(() => box.current?.scrollTo({ top: box.current.scrollHeight }));
  }, [steps.length]);
  const numbers = Array.from({ length: sessions }, (_, index) => index + 1);
  const after = stepsAfterwards({ steps });
  const before = steps.slice(0, steps.length - after.length);
  return (
    // The keyboard must reach everything that scrolls.
    <section ref={box} class="swim-lanes" aria-label="Steps so far" tabindex={0}>
      <table class={`of-${sessions}`}>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {numbers.map((number) => (
              <th key={number} scope="col" class={`s${number}`}>
                S{number}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before.map((step, index) => (
            <Row key={index} step={step} index={index} numbers={numbers} steps={steps} />
          ))}
        </tbody>
        {after.length > 0 && (
          <tbody class="afterwards">
            <tr>
              <th scope="rowgroup" colSpan={numbers.length + 1}>
                Afterwards {afterwards}
              </th>
            </tr>
            {after.map((step, index) => (
              <RowAfterwards
                key={index}
                step={step}
                index={before.length + index}
                lanes={numbers.length}
              />
            ))}
          </tbody>
        )}
      </table>
    </section>
  );
}

interface RowProps {
  step: ToldStep;
  index: number;
  numbers: number[];
  steps: ToldStep[];
}

const Label = ({ index }: { index: number }) => <th scope="row">{index + 1}</th>;

function Row({ step, index, numbers, steps }: RowProps) {
  if (step.choice === 't' && step.event !== null && step.acts.length === 0)
    return <TimePasses text={step.event} index={index} lanes={numbers.length} />;
  return (
    <tr>
      <Label index={index} />
      {numbers.map((number) => (
        <Cell key={number} session={number} step={step} index={index} steps={steps} />
      ))}
    </tr>
  );
}

/** Shows a line over all lanes, since time passes for everybody. */
const TimePasses = ({ text, index, lanes }: { text: string; index: number; lanes: number }) => (
  <tr class="time">
    <Label index={index} />
    <td colSpan={lanes}>
      <span>{text}</span>
    </td>
  </tr>
);

interface RowAfterwardsProps {
  step: ToldStep;
  index: number;
  lanes: number;
}

function RowAfterwards({ step: { event, acts }, index, lanes }: RowAfterwardsProps) {
  if (event !== null && acts.length === 0)
    return <TimePasses text={event} index={index} lanes={lanes} />;
  return (
    <tr>
      <Label index={index} />
      <td class="after" colSpan={lanes}>
        {acts.map((act, each) => (
          <ActInWords key={each} act={act} />
        ))}
      </td>
    </tr>
  );
}

interface CellProps {
  session: number;
  step: ToldStep;
  index: number;
  steps: ToldStep[];
}

function Cell({ session, step, index, steps }: CellProps) {
  const acts = step.acts.filter((act) => act.session === session);
  const isChosen = sessionIn(step.choice) === session;
  const silence = isChosen ? step.silence : null;
  const event = isChosen && step.choice !== 't' ? step.event : null;
  return (
    <td class={silence ? 'waiting' : kindOf(session, steps.slice(0, index + 1))}>
      {event !== null && <Event text={event} isDeath={step.dead.length > 0} />}
      {acts.map((act, each) => (
        <ActInWords key={each} act={act} />
      ))}
      {silence && silences[silence]}
    </td>
  );
}

/** Returns the style class of the session's cell after these steps. */
function kindOf(session: number, steps: ToldStep[]): string | undefined {
  const acts = steps.flatMap((step) => step.acts).filter((act) => act.session === session);
  const isDead = steps.some(({ dead }) => dead.includes(session));
  const kinds = [
    ...(acts.at(-1)?.progress === 'waits' ? ['waiting'] : []),
    ...(isDead ? ['dead'] : []),
  ];
  if (kinds.length > 0) return kinds.join(' ');
  return steps.at(-1)?.acts.some((act) => act.session === session) ? `s${session}` : undefined;
}

/** Shows the event, and below the event the reaction of PostgreSQL. */
function Event({ text, isDeath }: { text: string; isDeath: boolean }) {
  const [event, ...more] = text.split('. ');
  return (
    <>
      <b class={isDeath ? 'event death' : 'event'}>{event}</b>
      {more.length > 0 && <span class="by-server">{more.join('. ')}</span>}
    </>
  );
}

const ActInWords = ({ act }: { act: ToldAct }) => (
  <div class="act">
    <Said act={act} />
    {act.progress === 'waits' && <b>waits for {names(act.waitsFor)}</b>}
    {act.result !== null && <b class={/^ERROR/.test(act.result) ? 'error' : ''}>→ {act.result}</b>}
    {act.note !== null && <span class="note">{act.note}</span>}
  </div>
);

function Said({ act: { statement, isEffect, progress } }: { act: ToldAct }) {
  if (progress === 'completed') return <code>… {statement.split(' ')[0]} completed</code>;
  if (isEffect) return <span class="effect">{statement}</span>;
  return <Statement text={statement} />;
}

/** The maximum length of a statement that fits into two lines of a lane. */
const SHORT = 40;

/**
 * Shows a statement. A long statement is cut short until somebody opens it, but its lock is always
 * shown.
 */
function Statement({ text }: { text: string }) {
  if (text.length <= SHORT) return <code>{text}</code>;
  const lock = lockIn(text);
  return (
    <details class="statement">
      <summary class="opens">
        <code>{text.slice(0, text.length - lock.length)}</code>
        {lock && <code>{lock}</code>}
      </summary>
    </details>
  );
}

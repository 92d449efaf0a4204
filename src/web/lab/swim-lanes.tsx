import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../parts/use-effect.ts';
import type { ToldSchedule } from './api.ts';
import { lockIn, names } from './play/words.ts';

type ToldStep = ToldSchedule['steps'][number];
type ToldAct = ToldStep['acts'][number];

/**
 * The steps so far: a row for each step and a lane for each session. The last row is always
 * visible.
 */
export function SwimLanes({ sessions, steps }: Pick<ToldSchedule, 'sessions' | 'steps'>) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    requestAnimationFrame(() => box.current?.scrollTo({ top: box.current.scrollHeight }));
  }, [steps.length]);
  const numbers = Array.from({ length: sessions }, (_, index) => index + 1);
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
          {steps.map((step, index) => (
            <Row key={index} step={step} index={index} numbers={numbers} steps={steps} />
          ))}
        </tbody>
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

function Row({ step, index, numbers, steps }: RowProps) {
  const label = <th scope="row">{index + 1}</th>;
  if (step.choice === 't' && step.acts.length === 0)
    return (
      <tr class="time">
        {label}
        <td colSpan={numbers.length}>time passes</td>
      </tr>
    );
  return (
    <tr>
      {label}
      {numbers.map((number) => {
        const act = step.acts.find(({ session }) => session === number);
        if (act) return <Cell key={number} act={act} />;
        const isInMemory = step.acts.length === 0 && step.choice === String(number);
        const isWaiting = waitsAfter(steps, index, number);
        return (
          <td key={number} class={isInMemory || isWaiting ? 'waiting' : undefined}>
            {isInMemory && 'waits for something in memory'}
          </td>
        );
      })}
    </tr>
  );
}

/** Whether a statement of the session still waits after this step. */
function waitsAfter(steps: ToldStep[], index: number, session: number): boolean {
  const acts = steps.slice(0, index + 1).flatMap((step) => step.acts);
  return acts.findLast((act) => act.session === session)?.progress === 'waits';
}

const Cell = ({ act }: { act: ToldAct }) => (
  <td class={act.progress === 'waits' ? 'waiting' : `s${act.session}`}>
    {act.progress === 'completed' ? (
      <code>… {act.statement.split(' ')[0]} completed</code>
    ) : (
      <Statement text={act.statement} />
    )}
    {act.progress === 'waits' && <b>waits for {names(act.waitsFor)}</b>}
    {act.result !== null && <b class={/^ERROR/.test(act.result) ? 'error' : ''}>→ {act.result}</b>}
    {act.note !== null && <span class="note">{act.note}</span>}
  </td>
);

/** A long statement is cut short, but its lock is always shown. */
function Statement({ text }: { text: string }) {
  const lock = lockIn(text);
  return (
    <>
      <code>{text.slice(0, text.length - lock.length)}</code>
      {lock && <code>{lock}</code>}
    </>
  );
}

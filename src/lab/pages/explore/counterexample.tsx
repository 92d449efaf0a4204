import { useRef } from 'hono/jsx/dom';
import type { ToldSchedule } from '../../../explorer/told.ts';
import type { SyllabusEntry, ToldChapter } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { Ledger } from '../play/ledger.tsx';
import { SwimLanes } from '../swim-lanes.tsx';
import { Transcript } from '../transcript.tsx';
import { Endings } from './endings.tsx';
import { Player } from './player.tsx';

interface CounterexampleProps extends Pick<PartProps, 'place' | 'go'> {
  told: ToldSchedule;
  /** The number of steps that are shown. */
  shown: number;
  chapter: ToldChapter;
  entry: SyllabusEntry | undefined;
}

/** Shows the clearest schedule for the gravest fault, up to the step `shown`. */
export function Counterexample({ told, shown, chapter, entry, place, go }: CounterexampleProps) {
  const last = told.steps.length;
  const schedule = told.schedule.slice(0, shown);
  const steps = told.steps.slice(0, shown);
  const all = useRef<HTMLElement>(null);
  const show = (step: number) => {
    go({ step });
    requestAnimationFrame(() => {
      // The endings of the sessions follow the last row of the schedule.
      const latest = [...(all.current?.querySelectorAll('tbody tr, .endings') ?? [])].at(-1);
      latest?.scrollIntoView({ block: 'nearest' });
    });
  };
  return (
    <section ref={all} class="counterexample" aria-labelledby="counterexample">
      <h3 id="counterexample">The clearest counterexample</h3>
      <div class="toolbar">
        <Player shown={shown} last={last} onShow={show} />
        <PlaceLink place={place} go={go} to={{ view: 'play', schedule }} class="button">
          {schedule.length === told.schedule.length
            ? 'Open in Play'
            : `Open in Play at step ${shown}`}
        </PlaceLink>
      </div>
      <SwimLanes sessions={told.sessions} steps={steps} afterwards={chapter.afterwards} />
      {chapter.ledger && <Ledger name={chapter.ledger} told={{ ...told, steps }} />}
      {shown === last && <Endings told={told} faults={chapter.faults} />}
      <Transcript place={place} entry={entry} told={told} />
    </section>
  );
}

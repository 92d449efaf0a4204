import type { ToldSchedule } from '../../../lab/explore/told.ts';
import type { ToldChapter } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { Ledger } from '../play/ledger.tsx';
import { SwimLanes } from '../swim-lanes.tsx';
import { Transcript } from '../transcript.tsx';
import { Player } from './player.tsx';

interface CounterexampleProps extends Pick<PartProps, 'place' | 'go'> {
  told: ToldSchedule;
  /** How many of its steps are shown. */
  shown: number;
  chapter: ToldChapter;
}

/** The clearest schedule for the gravest fault, up to the step that is shown. */
export function Counterexample({ told, shown, chapter, place, go }: CounterexampleProps) {
  const last = told.steps.length;
  const schedule = told.schedule.slice(0, shown);
  const steps = told.steps.slice(0, shown);
  return (
    <section aria-labelledby="counterexample">
      <h3 id="counterexample">The clearest counterexample</h3>
      <div class="toolbar">
        <Player shown={shown} last={last} onShow={(step) => go({ step })} />
        <PlaceLink place={place} go={go} to={{ view: 'play', schedule }} class="button">
          {schedule.length === told.schedule.length
            ? 'Open in Play'
            : `Open in Play at step ${shown}`}
        </PlaceLink>
      </div>
      <SwimLanes sessions={told.sessions} steps={steps} afterwards={chapter.afterwards} />
      {chapter.ledger && <Ledger name={chapter.ledger} told={{ ...told, steps }} />}
      {shown === last && <Endings told={told} />}
      <Transcript place={place} told={told} />
    </section>
  );
}

/** The end of each session, and the state of the tables. */
const Endings = ({ told }: { told: ToldSchedule }) => (
  <p class="endings">
    {told.endings.map((ending, index) => (
      <span key={index} class={`ending s${index + 1}`}>
        <b>S{index + 1}</b> {ending ?? 'never ended'}
      </span>
    ))}
    {told.afterwards !== null && (
      <span class="ending">
        <b>Afterwards</b> {told.afterwards}
      </span>
    )}
    <b class="bad">
      {told.summary}: {told.faults.join(', ')}
    </b>
  </p>
);

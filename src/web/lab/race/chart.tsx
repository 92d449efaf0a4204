import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import type { ToldChapter } from '../api.ts';
import { Axis } from './axis.tsx';
import { LaneRow } from './lane-row.tsx';

interface ChartProps {
  seen: SeenRound;
  /** The milliseconds that the whole width stands for. */
  scale: number;
  kind: ToldChapter['race']['kind'];
}

/** One round of one strategy: a lane for each session, in real milliseconds. */
export function Chart({ seen, scale, kind }: ChartProps) {
  const { strategy, lanes, faults, summary, transcript } = seen;
  const isWrong = faults.length > 0;
  return (
    <section class="chart" aria-label={`${strategy}, round ${seen.round}`}>
      <h3>{strategy}</h3>
      <p class={isWrong ? 'bad' : 'good'}>
        <span aria-hidden="true">{isWrong ? '✗' : '✓'}</span>{' '}
        {[summary, faults.join(', ')].filter(Boolean).join(': ')}
      </p>
      {/* The keyboard must reach everything that scrolls. */}
      <section class="lane-box" tabindex={0} aria-label={`Lanes of ${strategy}`}>
        <ol class="race-lanes">
          {lanes.map((lane) => (
            <LaneRow key={lane.session} lane={lane} scale={scale} kind={kind} />
          ))}
        </ol>
        <Axis scale={scale} />
      </section>
      <details class="transcript">
        <summary>As text</summary>
        <pre>{transcript}</pre>
      </details>
    </section>
  );
}

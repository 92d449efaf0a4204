import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import { Axis } from './axis.tsx';
import { LaneRow } from './lane-row.tsx';

interface ChartProps {
  seen: SeenRound;
  /** The milliseconds that the whole width stands for. */
  scale: number;
}

/** One round of one strategy: a lane for each recruiter, in real milliseconds. */
export function Chart({ seen, scale }: ChartProps) {
  const { strategy, lanes, claims, capacity, transcript } = seen;
  const isOversold = claims > capacity;
  return (
    <section class="chart" aria-label={`${strategy}, round ${seen.round}`}>
      <h3>{strategy}</h3>
      <p class={isOversold ? 'bad' : 'good'}>
        <span aria-hidden="true">{isOversold ? '✗' : '✓'}</span> {claims} claims for {capacity}{' '}
        slots{isOversold ? ': oversold' : ''}
      </p>
      {/* What scrolls has to be within reach of keys. */}
      <section class="lane-box" tabindex={0} aria-label={`Lanes of ${strategy}`}>
        <ol class="race-lanes">
          {lanes.map((lane) => (
            <LaneRow key={lane.recruiter} lane={lane} scale={scale} />
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

import { useState } from 'hono/jsx/dom';
import type { SeenRound } from '../../race/rounds/round.ts';
import type { ToldChapter } from '../api.ts';
import { Axis } from './axis.tsx';
import { LaneRow } from './lane-row.tsx';
import { Legend } from './legend.tsx';

interface RoundsProps {
  rounds: SeenRound[];
  race: ToldChapter['race'];
}

/** Shows one round at a time: the lanes of each strategy, on the same scale. */
export function Rounds({ rounds, race }: RoundsProps) {
  const [chosen, setChosen] = useState(0);
  const numbers = [...new Set(rounds.map(({ round }) => round))];
  const shown = rounds.filter(({ round }) => round === (chosen || worstOf(rounds, race)));
  const scale = Math.max(...shown.map(({ milliseconds }) => milliseconds));
  return (
    <>
      <Legend race={race} hasWaits={rounds.some(hasWaits)} />
      <fieldset class="rounds" aria-label="Rounds">
        {numbers.map((number) => (
          <button
            key={number}
            type="button"
            aria-pressed={shown[0]?.round === number ? 'true' : 'false'}
            onClick={() => setChosen(number)}
          >
            Round {number}
            <Faults rounds={rounds.filter(({ round }) => round === number)} />
          </button>
        ))}
      </fieldset>
      <div class="side-by-side">
        {shown.map((round) => (
          <Chart key={round.strategy} seen={round} scale={scale} kind={race.kind} />
        ))}
      </div>
    </>
  );
}

const hasWaits = ({ lanes }: SeenRound) => lanes.some(({ waits }) => waits.length > 0);

/** Shows the mark of a round in which some strategy went wrong. */
function Faults({ rounds }: Pick<RoundsProps, 'rounds'>) {
  const wrong = rounds.filter(({ faults }) => faults.length > 0);
  if (wrong.length === 0) return null;
  return (
    <span class="bad">
      {' '}
      <span aria-hidden="true">✗</span>
      <span class="unseen">
        {wrong.map(({ strategy, faults }) => `${strategy} ${faults.join(', ')}`).join(', ')}
      </span>
    </span>
  );
}

/**
 * Returns the number of the worst round. In a race with requests, this is the round in which the
 * most sessions succeeded. In a race with crashes, this is the round in which the fewest tasks were
 * done correctly.
 */
function worstOf(rounds: SeenRound[], { kind }: ToldChapter['race']): number {
  const sign = kind === 'crashes' ? -1 : 1;
  const isWorse = (a: SeenRound, b: SeenRound) => sign * (a.taken - b.taken) > 0;
  return rounds.reduce((worst, each) => (isWorse(each, worst) ? each : worst)).round;
}

interface ChartProps {
  seen: SeenRound;
  /** The time that the whole width stands for, in milliseconds. */
  scale: number;
  kind: ToldChapter['race']['kind'];
}

/** Shows one round of one strategy, with a lane for each session, in real milliseconds. */
function Chart({ seen, scale, kind }: ChartProps) {
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

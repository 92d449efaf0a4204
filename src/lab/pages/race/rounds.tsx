import { useState } from 'hono/jsx/dom';
import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import type { ToldChapter } from '../api.ts';
import { Chart } from './chart.tsx';
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

/** The mark of a round in which some strategy went wrong. */
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
 * The first of the rounds in which the most sessions succeeded. In a race with crashes, the first of
 * the rounds in which the fewest tasks were done as they should be.
 */
function worstOf(rounds: SeenRound[], { kind }: ToldChapter['race']): number {
  const sign = kind === 'crashes' ? -1 : 1;
  const isWorse = (a: SeenRound, b: SeenRound) => sign * (a.taken - b.taken) > 0;
  return rounds.reduce((worst, each) => (isWorse(each, worst) ? each : worst)).round;
}

import { useState } from 'hono/jsx/dom';
import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import { Chart } from './chart.tsx';
import { Legend } from './legend.tsx';

/** Shows one round at a time: the lanes of each strategy, on the same scale. */
export function Rounds({ rounds }: { rounds: SeenRound[] }) {
  const [chosen, setChosen] = useState(0);
  const numbers = [...new Set(rounds.map(({ round }) => round))];
  const shown = rounds.filter(({ round }) => round === (chosen || worstOf(rounds)));
  const scale = Math.max(...shown.map(({ milliseconds }) => milliseconds));
  return (
    <>
      <Legend />
      <fieldset class="rounds" aria-label="Rounds">
        {numbers.map((number) => (
          <button
            key={number}
            type="button"
            aria-pressed={shown[0]?.round === number ? 'true' : 'false'}
            onClick={() => setChosen(number)}
          >
            Round {number}
          </button>
        ))}
      </fieldset>
      <div class="side-by-side">
        {shown.map((round) => (
          <Chart key={round.strategy} seen={round} scale={scale} />
        ))}
      </div>
    </>
  );
}

/** The first of the rounds in which the most sessions succeeded. */
const worstOf = (rounds: SeenRound[]): number =>
  rounds.reduce((worst, each) => (each.taken > worst.taken ? each : worst), rounds[0] as SeenRound)
    .round;

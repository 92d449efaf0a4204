import { useRef, useState } from 'hono/jsx/dom';
import type { RaceNews } from '../../../lab/race/rounds/race-line.ts';
import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import type { RaceTold } from '../../../lab/race/rounds/rounds.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { newsOf } from '../stream.ts';

/** One strategy or two, side by side. */
export interface RaceWish {
  strategies: string[];
  recruiters: number;
  capacity: number;
  rounds: number;
}

/** The part of a race that has arrived so far. */
export interface Racing {
  /** The place in line. 0 once the race runs, and before the server has said anything. */
  place: number;
  /** The number of rounds of all strategies together. */
  of: number;
  /** The rounds so far, in their order. */
  rounds: SeenRound[];
  told?: RaceTold;
  failure?: string;
}

/**
 * Returns the current race, and a function that starts a race. Starting a race stops the previous race.
 * Leaving the page also ends the race.
 */
export function useRace(): [Racing | undefined, (wish: RaceWish) => void] {
  const [racing, setRacing] = useState<Racing | undefined>(undefined);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const start = (wish: RaceWish) => {
    leaving.current?.abort();
    leaving.current = new AbortController();
    void run(wish, leaving.current.signal, setRacing);
  };
  return [racing, start];
}

async function run(wish: RaceWish, signal: AbortSignal, show: (racing: Racing) => void) {
  const of = wish.rounds * wish.strategies.length;
  let racing: Racing = { place: 0, of, rounds: [] };
  const add = (more: Partial<Racing>) => {
    racing = { ...racing, ...more };
    if (!signal.aborted) show(racing);
  };
  add({});
  const init = { method: 'POST', body: JSON.stringify(wish), signal };
  try {
    for await (const { name, data } of newsOf<RaceNews>('/rounds', init)) {
      if (name === 'queued') add({ place: data.place });
      else if (name === 'round') add({ place: 0, rounds: [...racing.rounds, data] });
      else if (name === 'done') add({ told: data });
      else add({ failure: data.detail });
    }
  } catch (error) {
    add({ failure: (error as Error).message });
  }
}

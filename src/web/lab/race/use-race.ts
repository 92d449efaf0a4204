import { useRef, useState } from 'hono/jsx/dom';
import type { RaceNews } from '../../../lab/race/rounds/race-line.ts';
import type { SeenRound } from '../../../lab/race/rounds/round.ts';
import type { RaceTold } from '../../../lab/race/rounds/rounds.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { newsOf } from '../stream.ts';

/** What is raced: one strategy or two, side by side. */
export interface RaceSettings {
  strategies: string[];
  recruiters: number;
  rounds: number;
}

/** A race as far as it has come. */
export interface Racing {
  /** The place in line; 0 once it runs. */
  place: number;
  /** How many rounds there will be, those of both strategies. */
  of: number;
  /** In the order in which they were run. */
  rounds: SeenRound[];
  told?: RaceTold;
  failure?: string;
}

/** Races whenever it is asked to; another race, or leaving the page, ends the one that runs. */
export function useRace(): [Racing | undefined, (settings: RaceSettings) => void] {
  const [racing, setRacing] = useState<Racing | undefined>(undefined);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const start = (settings: RaceSettings) => {
    leaving.current?.abort();
    leaving.current = new AbortController();
    void run(settings, leaving.current.signal, setRacing);
  };
  return [racing, start];
}

async function run(settings: RaceSettings, signal: AbortSignal, show: (racing: Racing) => void) {
  const of = settings.rounds * settings.strategies.length;
  let racing: Racing = { place: 0, of, rounds: [] };
  const add = (more: Partial<Racing>) => {
    racing = { ...racing, ...more };
    if (!signal.aborted) show(racing);
  };
  add({});
  const init = { method: 'POST', body: JSON.stringify(settings), signal };
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

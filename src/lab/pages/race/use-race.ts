import { useState } from 'hono/jsx/dom';
import type { RaceNews } from '../../race/rounds/race-line.ts';
import type { SeenRound } from '../../race/rounds/round.ts';
import type { RaceTold } from '../../race/rounds/rounds.ts';
import type { News } from '../stream.ts';
import { type RunRequest, useRun } from '../use-run.ts';

/** The race that a visitor wants, with one strategy or with two strategies side by side. */
export interface WantedRace {
  strategies: string[];
  recruiters: number;
  capacity: number;
  rounds: number;
}

/** The part of a race that has arrived so far. */
export interface Racing {
  /**
   * The place in line. The place is 0 before the first news of the server, and once the race runs.
   */
  place: number;
  /** The number of rounds of all strategies together. */
  of: number;
  /** The rounds so far, in their order. */
  rounds: SeenRound[];
  told?: RaceTold;
  failure?: string;
}

/** Returns the current race, and a function that starts a race and stops the previous race. */
export function useRace(): [Racing | undefined, (request: WantedRace) => void] {
  const [request, setRequest] = useState<RunRequest<WantedRace> | undefined>(undefined);
  const { rounds = 0, strategies = [] } = request?.body ?? {};
  const first: Racing = { place: 0, of: rounds * strategies.length, rounds: [] };
  const racing = useRun<RaceNews, Racing>(request, first, addNews);
  return [racing, (body) => setRequest({ path: '/rounds', body })];
}

function addNews(racing: Racing, { name, data }: News<RaceNews>): Racing {
  switch (name) {
    case 'queued':
      return { ...racing, place: data.place };
    case 'round':
      return { ...racing, place: 0, rounds: [...racing.rounds, data] };
    case 'done':
      return { ...racing, told: data };
    case 'failed':
      return { ...racing, failure: data.detail };
  }
}

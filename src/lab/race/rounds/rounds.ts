import type { Strategy } from '../../chapters/claims/strategy.ts';
import { addRound, newResult, type RaceResult, type RaceSettings } from '../race.ts';
import { Recorder, type Slice } from '../recorder.ts';
import { describeRace, describeResults, describeVerdict } from '../report.ts';
import { openTrack } from '../track.ts';
import { inShort, runRound, type SeenRound } from './round.ts';

/** What came of a race. */
export interface RaceTold {
  results: RaceResult[];
  /** All of it as text. */
  transcript: string;
}

/**
 * Races strategies in turns, a round each, in a database to throw away. Once it is stopped it runs
 * no more rounds, and gives nothing.
 */
export async function runRounds(
  url: string,
  strategies: readonly Strategy[],
  settings: RaceSettings,
  onRound: (round: SeenRound) => void,
  stop: AbortSignal,
): Promise<RaceTold | undefined> {
  const slices: Slice[] = [];
  const recorder = new Recorder((slice) => slices.push(slice));
  const { db, close } = await openTrack(url, recorder.open);
  recorder.watch(url);
  try {
    const results = strategies.map(({ name, promise }) => newResult(name, promise));
    for (let round = 1; round <= settings.rounds; round++) {
      for (const [index, strategy] of strategies.entries()) {
        if (stop.aborted) return undefined;
        const seen = await runRound({ db, recorder, slices }, strategy, { ...settings, round });
        addRound(results[index] as RaceResult, inShort(seen), settings);
        onRound(seen);
      }
    }
    return { results, transcript: describe(results, strategies, settings) };
  } finally {
    await close();
    await recorder.end();
  }
}

const describe = (
  results: RaceResult[],
  strategies: readonly Strategy[],
  settings: RaceSettings,
): string =>
  [
    describeRace(settings),
    describeResults(results, [...strategies], settings),
    describeVerdict(results, settings),
  ].join('\n');

import type { Chapter, Strategy } from '../../chapter.ts';
import type { CrashResult } from '../crashes/crashes.ts';
import { addRound, newResult, type RaceOrder, type RaceResult } from '../race.ts';
import {
  describeRace,
  describeResults,
  describeVerdict,
  type RequestChapter,
  sayResults,
} from '../report.ts';
import type { RaceStage } from './race-stage.ts';
import { inShort, runRound, type SeenRound } from './round.ts';

/** Strategies of one chapter that race side by side. */
export interface Field<C extends Chapter = Chapter> {
  chapter: C;
  strategies: readonly Strategy[];
}

/** The results of a whole race. */
export interface RaceTold {
  /** A result for each strategy. In races with crashes, the results also have sums. */
  results: (RaceResult & Partial<Pick<CrashResult, 'counts' | 'killed'>>)[];
  /** A sentence for each strategy. */
  sentences: string[];
  /** The whole race as text. */
  transcript: string;
}

/**
 * Races strategies in a scratch database. The strategies take turns, with one round each. Once
 * `stop` is aborted, no further round begins, and the result is undefined.
 */
export async function runRounds(
  stage: RaceStage,
  { chapter, strategies }: Field<RequestChapter>,
  order: RaceOrder,
  onRound: (round: SeenRound) => void,
  stop: AbortSignal,
): Promise<RaceTold | undefined> {
  const track = await stage.track();
  track.recorder.watch(stage.url);
  try {
    const results = strategies.map(({ name, promise }) =>
      newResult({ chapter: chapter.name, name, promise }),
    );
    for (let round = 1; round <= order.rounds; round++) {
      for (const [index, strategy] of strategies.entries()) {
        if (stop.aborted) return undefined;
        const { sessions, capacity } = order;
        const asked = { round, sessions, capacity };
        const seen = await runRound(track, { chapter, strategy }, asked);
        addRound(results[index] as RaceResult, inShort(seen));
        onRound(seen);
      }
    }
    return {
      results,
      sentences: sayResults(chapter, results, order),
      transcript: [
        describeRace(chapter, order),
        describeResults(chapter, results, [...strategies], order),
        describeVerdict(chapter, results, order),
      ].join('\n'),
    };
  } finally {
    await track.recorder.end();
  }
}

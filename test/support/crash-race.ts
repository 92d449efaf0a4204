import type { Stage } from '../../src/explorer/stage.ts';
import type { Chapter, Situation, Strategy } from '../../src/lab/chapter.ts';
import { hasCrashes, raceWithCrashes } from '../../src/lab/race/crashes/crashes.ts';
import type { RaceOrder } from '../../src/lab/race/race.ts';

/** Races one strategy of a chapter. The race kills some of the processes. */
export async function raceWithDeaths<S extends Strategy, N extends Situation>(
  stage: Stage,
  given: Chapter<S, N>,
  name: string,
  order: RaceOrder,
  signal: AbortSignal,
) {
  const chapter = given as unknown as Chapter;
  if (!hasCrashes(chapter)) throw new Error(`${chapter.name} has no race with crashes`);
  const strategy = chapter.strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`${chapter.name} has no strategy ${name}`);
  return raceWithCrashes(stage, chapter, strategy, order, () => undefined, signal);
}

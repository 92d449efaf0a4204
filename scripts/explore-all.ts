import type { Chapter, Situation, Strategy } from '../src/lab/chapter.ts';
import { type Exploration, explore } from '../src/lab/explore/explore.ts';
import { withStage } from './arena.ts';
import { clearProgress, showProgress } from './progress.ts';

export type Result = Exploration & { strategy: Strategy };

/**
 * The stages in use at once. The explorer and PostgreSQL wait for each other in turns, so a second
 * stage saves time.
 */
const STAGES = 2;

/**
 * Explores strategies of a chapter in one situation, with at most the situation's number of schedules.
 * The results are in the order of the strategies.
 */
export async function exploreAll(
  chapter: Chapter,
  strategies: readonly Strategy[],
  situation: Situation,
  sessions: number,
  stop: AbortSignal,
  { leavesOutMirrored = false } = {},
): Promise<Result[]> {
  const waiting = [...strategies];
  const results: Result[] = [];
  const worker = () =>
    withStage(stop, async (stage) => {
      for (let strategy = waiting.shift(); strategy; strategy = waiting.shift()) {
        const { name } = strategy;
        const trial = chapter.trial(strategy, situation, sessions);
        const onSchedule = (n: number) => showProgress(`${situation.name}, ${name}: schedule ${n}`);
        const options = { onSchedule, stop, most: situation.most, leavesOutMirrored };
        results.push({ strategy, ...(await explore(stage, trial, options)) });
      }
    });
  await Promise.all(Array.from({ length: Math.min(STAGES, strategies.length) }, worker));
  clearProgress();
  return strategies.flatMap((strategy) => results.filter((result) => result.strategy === strategy));
}

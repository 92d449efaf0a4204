import { type Exploration, explore } from '../src/explorer/explore.ts';
import type { Stage } from '../src/explorer/stage.ts';
import type { Explorable, Situation, Strategy } from '../src/lab/chapter.ts';
import { withStage } from './arena.ts';
import { clearProgress, showProgress } from './progress.ts';

/** A strategy to explore in one situation, with at most `situation.most` schedules. */
export interface Wanted {
  chapter: Explorable;
  strategy: Strategy;
  situation: Situation;
  sessions: number;
}

export type Result = Exploration & Wanted;

/**
 * The number of stages that work at the same time. On one stage, the explorer and PostgreSQL wait
 * for each other in turns, so a second stage saves time.
 */
const STAGES = 2;

/**
 * Explores each strategy in its situation. The results are in the order of `wanted`. Each stage
 * starts a PostgreSQL, so a command explores all its strategies in one call.
 */
export async function exploreAll(
  wanted: readonly Wanted[],
  stop: AbortSignal,
  options: { leavesOutMirrored?: boolean } = {},
): Promise<Result[]> {
  const waiting = [...wanted];
  const results = new Map<Wanted, Result>();
  const worker = () =>
    withStage(stop, async (stage) => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        results.set(next, await exploreOne(stage, next, stop, options));
    });
  await Promise.all(Array.from({ length: Math.min(STAGES, wanted.length) }, worker));
  clearProgress();
  return wanted.flatMap((each) => results.get(each) ?? []);
}

export async function exploreOne(
  stage: Stage,
  wanted: Wanted,
  stop: AbortSignal,
  { leavesOutMirrored = false } = {},
): Promise<Result> {
  const { chapter, strategy, situation, sessions } = wanted;
  const trial = chapter.trial(strategy, situation, sessions);
  const onSchedule = (n: number) =>
    showProgress(`${situation.name}, ${strategy.name}: schedule ${n}`);
  const options = { onSchedule, stop, most: situation.most, leavesOutMirrored };
  return { ...wanted, ...(await explore(stage, trial, options)) };
}

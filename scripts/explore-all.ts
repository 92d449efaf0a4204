import { type Exploration, type ExploreOptions, explore } from '../src/explorer/explore.ts';
import { lanesOf } from '../src/explorer/lanes.ts';
import type { Stage } from '../src/explorer/stage.ts';
import type { Explorable, Situation, Strategy } from '../src/lab/chapter.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withStages } from './arena.ts';

/** A strategy to explore in one situation, with at most `situation.most` schedules. */
export interface Wanted {
  chapter: Explorable;
  strategy: Strategy;
  situation: Situation;
  sessions: number;
}

export type Result = Exploration & Wanted;

/** The schedules that are left out. */
export type LeftOut = Pick<ExploreOptions, 'leavesOutMirrored' | 'leavesOutCommuting'>;

/** Explores each strategy in its situation. The results are in the order of `wanted`. */
export async function exploreAll(
  wanted: readonly Wanted[],
  stop: AbortSignal,
  leftOut: LeftOut = {},
): Promise<Result[]> {
  return withStages(stop, async (stages) => {
    const results: Result[] = [];
    for (const each of wanted) results.push(await exploreOne(stages, each, stop, leftOut));
    clearProgress();
    return results;
  });
}

export async function exploreOne(
  [stage, ...others]: readonly [Stage, ...Stage[]],
  wanted: Wanted,
  stop: AbortSignal,
  leftOut: LeftOut = {},
): Promise<Result> {
  const { chapter, strategy, situation, sessions } = wanted;
  const trial = () => chapter.trial(strategy, situation, sessions);
  const onSchedule = (n: number) =>
    showProgress(`${situation.name}, ${strategy.name}: schedule ${n}`);
  const found = await explore(stage, trial(), {
    onSchedule,
    stop,
    most: situation.most,
    ...leftOut,
    beside: lanesOf(others, trial),
  });
  return { ...wanted, ...found };
}

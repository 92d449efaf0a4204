import { expect } from 'vitest';
import { type Exploration, explore, hasMirrors } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { type Chapter, type Situation, type Strategy, sessionsIn } from '../../src/lab/chapter.ts';
import { addressOf, chapters } from '../../src/lab/chapters/index.ts';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';

export interface Mirrored {
  chapter: Chapter;
  strategy: Strategy;
  situation: Situation;
}

/**
 * Every strategy in each situation whose two sessions are identical. Strategies with a store are
 * left out, because their schedules take ten times as long.
 */
export const mirrored: Mirrored[] = chapters.flatMap((chapter: Chapter) =>
  chapter.strategies
    .filter(({ needs }) => needs === undefined)
    .flatMap((strategy) =>
      chapter
        .situationsOf(strategy)
        .filter((situation) =>
          hasMirrors(chapter.trial(strategy, situation, sessionsIn(situation, 2))),
        )
        .map((situation) => ({ chapter, strategy, situation })),
    ),
);

/** Returns the names of the strategy and the situation, such as `claims/naive last-slot`. */
export const nameOf = ({ chapter, strategy, situation }: Mirrored) =>
  `${chapter.name}/${strategy.name} ${situation.name}`;

/**
 * Explores with and without mirrored schedules. Asserts that all counts with mirrored schedules are
 * twice as large.
 */
export async function expectHalf(stage: Stage, name: string) {
  const each = mirrored.find((one) => nameOf(one) === name);
  if (!each) throw new Error(`${name} has no mirrored schedules`);
  const { chapter, strategy, situation } = each;
  const trial = chapter.trial(strategy, situation, 2);
  const whole = await explore(stage, trial, { most: situation.most });
  await expectHalfOf(whole, stage, each);
}

/** Explores without mirrored schedules. Asserts that all counts in `whole` are twice as large. */
export async function expectHalfOf(whole: Counted, stage: Stage, each: Mirrored) {
  const { chapter, strategy, situation } = each;
  const trial = chapter.trial(strategy, situation, 2);
  const half = await explore(stage, trial, { most: situation.most, leavesOutMirrored: true });
  expect(half.leftOut).toBe(half.schedules);
  expect(gravestOf(chapter, half)).toBe(gravestOf(chapter, whole));
  if (!whole.isComplete) return;
  expect(half.isComplete).toBe(true);
  expect(countsOf(whole, 1)).toEqual(countsOf(half, 2));
}

type Counted = Pick<Exploration, 'schedules' | 'isComplete' | 'serializationFailures' | 'faults'>;

const gravestOf = (chapter: Chapter, { faults }: Counted) =>
  chapter.faults.find(({ name }) => faults[name])?.name;

const countsOf = ({ schedules, serializationFailures, faults }: Counted, times: number) => ({
  schedules: schedules * times,
  serializationFailures: serializationFailures * times,
  ...Object.fromEntries(Object.entries(faults).map(([name, count]) => [name, count * times])),
});

export const knownOf = (each: Mirrored) =>
  knownVerdicts[addressOf(each)]?.situations[each.situation.name] ??
  expect.fail(`there is no verdict on ${nameOf(each)}`);

/** Returns the exploration with the fewest schedules for each name. */
function smallestBy(name: (each: Mirrored) => string): Mirrored[] {
  const sorted = mirrored.toSorted(
    (one, other) => knownOf(one).schedules - knownOf(other).schedules,
  );
  return [...new Map(sorted.toReversed().map((each) => [name(each), each])).values()];
}

/**
 * The exploration with the fewest schedules for each situation. The situation decides whether the
 * two sessions are identical.
 */
export const smallest = new Set(
  smallestBy(({ chapter, situation }) => `${chapter.name} ${situation.name}`),
);

/**
 * The exploration with the fewest schedules for each strategy. The strategy also decides whether
 * the counts are symmetric.
 */
export const ofEachStrategy = new Set(smallestBy(addressOf));

import { beforeAll, expect, test } from 'vitest';
import { addressOf } from '../../../../src/lab/chapters/index.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { expectHalfOf, type Mirrored, mirrored, nameOf } from '../../../support/mirrors.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const knownOf = (each: Mirrored) =>
  knownVerdicts[addressOf(each)]?.situations[each.situation.name] ??
  expect.fail(`there is no verdict on ${nameOf(each)}`);

/** So many schedules are played in half a second. */
const FEW = 80;

/** For each name, the exploration with the fewest schedules. */
function smallestBy(name: (each: Mirrored) => string): Mirrored[] {
  const sorted = mirrored.toSorted(
    (one, other) => knownOf(one).schedules - knownOf(other).schedules,
  );
  return [...new Map(sorted.toReversed().map((each) => [name(each), each])).values()];
}

/**
 * Two sessions are identical by the situation. Whether the counts are symmetric depends on the
 * strategy too. So each strategy and each situation is here, with the fewest schedules.
 */
const tried = new Set([
  ...mirrored.filter((each) => knownOf(each).schedules <= FEW),
  ...smallestBy(addressOf),
  ...smallestBy(({ chapter, situation }) => `${chapter.name} ${situation.name}`),
]);

test('every chapter has identical sessions', () => {
  expect([...new Set(mirrored.map(({ chapter }) => chapter.name))]).toEqual([
    'claims',
    'queue',
    'retries',
  ]);
});

// The check of docs/strategies.md plays the whole, and compares the whole with the known verdicts.
test.each([...tried].map((each) => [nameOf(each), each] as const))(
  '%s has the same faults without its mirrored schedules, half as often',
  { timeout: 300_000 },
  (_, each) => expectHalfOf(knownOf(each), stage, each),
);

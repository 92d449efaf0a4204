import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../../src/explorer/explore.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import { tell } from '../../../src/explorer/tell.ts';
import {
  expectLockHolds,
  expectNoFault,
  expectVerdict,
  exploreClaims,
  situationsByTier,
  strategiesByTier,
  verdictOf,
} from '../../support/claim-explorations.ts';
import { situationNamed, strategyNamed, trialOf } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('two recruiters and one slot', () => {
  for (const strategy of strategiesByTier.slow)
    test(verdictOf(strategy), () => expectVerdict(stage, strategy));
});

test.each(situationsByTier.slow)(
  "production's claim without batches has no fault in any schedule: %s",
  (name) => expectLockHolds(stage, name),
);

// These 60 schedules have the fewest switches between sessions. The check of docs/strategies.md
// plays all schedules.
test("production's queue has no fault when two recruiters ask each of two servers", async () => {
  const found = await explore(stage, trialOf('production', 'two-servers'), { most: 60 });
  expectNoFault('production', found);
});

test('skip-locked refuses a recruiter although a rollback frees a slot', async () => {
  const found = await exploreClaims(
    stage,
    strategyNamed('skip-locked'),
    situationNamed('rollback'),
  );
  expect(found.faults.oversold ?? 0).toBe(0);
  expect(found.faults.unsold).toBeGreaterThan(0);
});

describe('the number of schedules', () => {
  // These counts come from reasoning. For example, two transactions of four steps have 70
  // schedules. A schedule oversells unless one transaction commits before the other counts.
  const withBegin = { beginIsStep: true, autocommitWriteIsTwo: false };
  test.each([
    ['naive', 6, 4],
    ['transaction', 70, 60],
    ['row-lock', 36, 0],
  ])('of %s is %i, and %i of them oversell, if BEGIN is a step', async (name, total, oversold) => {
    const found = await explore(stage, trialOf(name), { model: withBegin });
    expect([found.schedules, found.faults.oversold ?? 0]).toEqual([total, oversold]);
  });
});

test('each exploration of insert-then-lock finds the same deadlocks with the same victims', async () => {
  const runs = [];
  for (let run = 0; run < 3; run++) {
    const { faults, counterexamples } = await exploreClaims(
      stage,
      strategyNamed('insert-then-lock'),
    );
    runs.push([faults, counterexamples.deadlock && tell(counterexamples.deadlock).transcript]);
  }
  expect(runs[0]?.[0]).toEqual({ deadlock: 12 });
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[2]).toEqual(runs[0]);
});

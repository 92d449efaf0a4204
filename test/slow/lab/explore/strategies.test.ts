import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import {
  expectLockHolds,
  expectNoFault,
  expectVerdict,
  exploreClaims,
  situationsByTier,
  strategiesByTier,
  verdictOf,
} from '../../../support/claim-explorations.ts';
import { situationNamed, strategyNamed, trialOf } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('two recruiters and one slot', () => {
  for (const strategy of strategiesByTier.slow)
    test(verdictOf(strategy), () => expectVerdict(stage, strategy));
});

test.each(situationsByTier.slow)(
  "production's claim alone has no fault in any schedule: %s",
  (name) => expectLockHolds(stage, name),
);

// These schedules have the fewest switches. The check of docs/strategies.md plays all.
test("production's queue has no fault when two recruiters ask each of two servers", async () => {
  const found = await explore(stage, trialOf('production', 'two-servers'), { most: 60 });
  expectNoFault('production', found);
});

test('skip-locked turns somebody away from a slot that is free again', async () => {
  const found = await exploreClaims(
    stage,
    strategyNamed('skip-locked'),
    situationNamed('rollback'),
  );
  expect(found.faults.oversold ?? 0).toBe(0);
  expect(found.faults.unsold).toBeGreaterThan(0);
});

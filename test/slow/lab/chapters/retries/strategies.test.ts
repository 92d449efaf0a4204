import { expect, test } from 'vitest';
import { explore } from '../../../../../src/explorer/explore.ts';
import { situationsOf } from '../../../../../src/lab/chapters/retries/situations.ts';
import { retryTrial } from '../../../../../src/lab/chapters/retries/trial.ts';
import { whole } from '../../../../support/retries.ts';
import { makeStage } from '../../../../support/stage.ts';

const none = {
  alone: [],
  'two-at-once': [],
  crash: [],
  'two-keys': [],
  'crash-together': [],
  slow: [],
  'crash-and-slow': [],
  'taken-over': [],
};

test("production's transaction has no fault in the schedules that the judge plays", async () => {
  const stage = await makeStage();
  const found: Record<string, string[]> = {};
  for (const situation of situationsOf(whole)) {
    const { faults } = await explore(stage, retryTrial(whole, situation, 2), {
      most: situation.most,
    });
    found[situation.name] = Object.keys(faults);
  }
  expect(found).toEqual(none);
});

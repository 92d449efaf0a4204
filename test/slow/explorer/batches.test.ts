import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/explorer/stage.ts';
import { alone, exploreAll, queued, together } from '../../support/batches.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('in every schedule all slots are claimed, no job is oversold, and each answer is true', () => {
  test('if two batches share one job', async () => {
    expect(
      await exploreAll(stage, together([1, 1], [1, 2]), together([1, 3], [2, 3])),
    ).toBeGreaterThan(20);
  });

  test('if two batches want the last slots of the same two jobs', async () => {
    const schedules = await exploreAll(stage, together([1, 1], [2, 2]), together([2, 3], [1, 4]));
    expect(schedules).toBeGreaterThan(20);
  });

  test('if two queues, or a queue and a single claim, run together', async () => {
    expect(await exploreAll(stage, queued([1, 1], [1, 2]), queued([1, 3]))).toBeGreaterThan(20);
    expect(await exploreAll(stage, queued([1, 1], [2, 2]), alone([2, 3]))).toBeGreaterThan(10);
  });
});

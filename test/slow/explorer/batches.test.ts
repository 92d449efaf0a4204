import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { alone, exploreAll, queued, together } from '../../../support/batches.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('in every schedule the slots go to as many as there are, and the answers are true', () => {
  test('of two batches that share one job', async () => {
    expect(
      await exploreAll(stage, together([1, 1], [1, 2]), together([1, 3], [2, 3])),
    ).toBeGreaterThan(20);
  });

  test('of a batch and a textbook claim from another instance', async () => {
    expect(await exploreAll(stage, together([1, 1], [2, 2]), alone([1, 3]))).toBeGreaterThan(10);
  });

  test('of two queues, and of a queue and a textbook claim', async () => {
    expect(await exploreAll(stage, queued([1, 1], [1, 2]), queued([1, 3]))).toBeGreaterThan(20);
    expect(await exploreAll(stage, queued([1, 1], [2, 2]), alone([2, 3]))).toBeGreaterThan(10);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../src/explorer/stage.ts';
import { alone, exploreAll, together } from '../support/batches.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/explorer/batches.test.ts has more batches.
describe('in every schedule all slots are claimed, no job is oversold, and each answer is true', () => {
  test('if a batch and a single claim come from two instances', async () => {
    expect(await exploreAll(stage, together([1, 1], [2, 2]), alone([1, 3]))).toBeGreaterThan(10);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import { exploreAll, together } from '../../support/batches.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/lab/explore/batches.test.ts has more batches.
describe('in every schedule the slots go to as many as there are, and the answers are true', () => {
  test('of two batches that want the last slots of the same two jobs', async () => {
    const schedules = await exploreAll(stage, together([1, 1], [2, 2]), together([2, 3], [1, 4]));
    expect(schedules).toBeGreaterThan(20);
  });
});

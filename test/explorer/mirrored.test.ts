import { beforeAll, expect, test } from 'vitest';
import { explore } from '../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import { trialOf } from '../../support/claims-chapter.ts';
import { expectHalf, mirrored, nameOf } from '../../support/mirrors.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/lab/explore/mirrored.test.ts does the same with every strategy.
test.each(['claims/naive last-slot', 'retries/map two-at-once'])(
  '%s has the same faults without its mirrored schedules, half as often',
  (name) => expectHalf(stage, name),
);

test('sessions of different programs have no mirrored schedules', async () => {
  const names = mirrored.map(nameOf);
  expect(names).not.toContain('claims/naive rollback');
  expect(names).not.toContain('claims/naive freed');
  // Afterwards the client asks server 1. So it matters which of two servers has died.
  expect(names).not.toContain('retries/map crash');
  expect(names).not.toContain('queue/lease alone');
  await expect(
    explore(stage, trialOf('naive', 'rollback'), { leavesOutMirrored: true }),
  ).rejects.toThrow('these schedules have no mirrors');
});

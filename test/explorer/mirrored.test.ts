import { beforeAll, expect, test } from 'vitest';
import { explore } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { trialOf } from '../support/claims-chapter.ts';
import { expectHalf, mirrored, nameOf } from '../support/mirrors.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/explorer/mirrored.test.ts does the same with every strategy.
test.each(['claims/naive last-slot', 'retries/map two-at-once'])(
  '%s has the same faults in half as many schedules if mirrored schedules are left out',
  (name) => expectHalf(stage, name),
);

test('sessions of different programs have no mirrored schedules', async () => {
  const names = mirrored.map(nameOf);
  expect(names).not.toContain('claims/naive rollback');
  expect(names).not.toContain('claims/naive freed');
  // After the sessions, the client asks server 1. So it matters which of the two servers has died.
  expect(names).not.toContain('retries/map crash');
  expect(names).not.toContain('queue/lease alone');
  await expect(
    explore(stage, trialOf('naive', 'rollback'), { leavesOutMirrored: true }),
  ).rejects.toThrow('these schedules have no mirrors');
});

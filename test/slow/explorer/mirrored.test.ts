import { beforeAll, expect, test } from 'vitest';
import type { Stage } from '../../../src/explorer/stage.ts';
import {
  expectHalf,
  expectHalfOf,
  knownOf,
  mirrored,
  nameOf,
  smallest,
} from '../../support/mirrors.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

test('every chapter has identical sessions', () => {
  expect([...new Set(mirrored.map(({ chapter }) => chapter.name))]).toEqual([
    'claims',
    'queue',
    'retries',
  ]);
});

test.each(['claims/serializable last-slot', 'queue/mutex crash', 'queue/rescue-by-node crash'])(
  '%s has the same faults in half as many schedules if mirrored schedules are left out',
  (name) => expectHalf(stage, name),
);

// test/campaigns/explorer/mirrored.test.ts has more strategies. The check of docs/strategies.md
// plays all schedules, and compares the result with the known verdicts.
test.each([...smallest].map((each) => [nameOf(each), each] as const))(
  '%s has the same faults in half as many schedules if mirrored schedules are left out',
  { timeout: 300_000 },
  (_, each) => expectHalfOf(knownOf(each), stage, each),
);

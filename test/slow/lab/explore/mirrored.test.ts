import { beforeAll, expect, test } from 'vitest';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { expectHalf, mirrored, nameOf } from '../../../support/mirrors.ts';
import { makeStage } from '../../../support/stage.ts';

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

test.each(mirrored.map((each) => [nameOf(each), each] as const))(
  '%s has the same faults without its mirrored schedules, half as often',
  { timeout: 300_000 },
  (_, each) => expectHalf(stage, each),
);

import { beforeAll, test } from 'vitest';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { expectHalfOf, knownOf, mirrored, nameOf, smallest } from '../../../support/mirrors.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** So many schedules are played in half a second. */
const FEW = 80;
const more = mirrored.filter((each) => knownOf(each).schedules <= FEW && !smallest.has(each));

test.each(more.map((each) => [nameOf(each), each] as const))(
  '%s has the same faults without its mirrored schedules, half as often',
  { timeout: 300_000 },
  (_, each) => expectHalfOf(knownOf(each), stage, each),
);

import { beforeAll, test } from 'vitest';
import type { Stage } from '../../../src/explorer/stage.ts';
import { expectHalfOf, knownOf, mirrored, nameOf, ofEachStrategy } from '../../support/mirrors.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** The number of schedules that we can play in half a second. */
const FEW = 80;
const tried = mirrored.filter((each) => knownOf(each).schedules <= FEW || ofEachStrategy.has(each));

test.each(tried.map((each) => [nameOf(each), each] as const))(
  '%s has the same faults in half as many schedules if mirrored schedules are left out',
  { timeout: 300_000 },
  (_, each) => expectHalfOf(knownOf(each), stage, each),
);

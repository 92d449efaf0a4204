import { beforeAll, expect, test } from 'vitest';
import { situationsOf } from '../../../../src/lab/chapters/queue/situations.ts';
import { strategies } from '../../../../src/lab/chapters/queue/strategies/index.ts';
import { queueTrial } from '../../../../src/lab/chapters/queue/trial.ts';
import { explore } from '../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

test.each(strategies)('$name', async (strategy) => {
  for (const situation of situationsOf(strategy)) {
    const found = await explore(stage, queueTrial(strategy, situation, 2));
    const { schedules, faults, milliseconds } = found;
    console.log(strategy.name, situation.name, schedules, JSON.stringify(faults), milliseconds);
    for (const [fault, played] of Object.entries(found.counterexamples))
      if (process.env.SHOW)
        console.log(fault, played.schedule.join(), `\n${tell(played).transcript}`);
  }
  expect(1).toBe(1);
});

import { beforeAll, describe, expect, test } from 'vitest';
import { situationsOf } from '../../../../src/lab/chapters/queue/situations.ts';
import { strategies } from '../../../../src/lab/chapters/queue/strategies/index.ts';
import { queueTrial } from '../../../../src/lab/chapters/queue/trial.ts';
import { explore } from '../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// `npm run matrix -- --check` plays the other situations. They take a few seconds a strategy.
const SHORT = ['alone', 'calm'];

describe.each(strategies)('$name', (strategy) => {
  const known = knownVerdicts[`queue/${strategy.name}`]?.situations ?? {};
  const short = situationsOf(strategy).filter(({ name }) => SHORT.includes(name));
  test.each(short)('has the faults in $name that docs/strategies.md says', async (situation) => {
    const { most } = situation;
    const found = await explore(stage, queueTrial(strategy, situation, 2), { most });
    const { schedules, faults } = found;
    expect({ schedules, faults }).toEqual({
      schedules: known[situation.name]?.schedules,
      faults: known[situation.name]?.faults,
    });
  });
});

// Without the lease, the fence or the id in src/queue and its strategy this fails.
test.each(strategies.filter(({ name }) => name === 'production'))(
  "production's queue has no fault in any situation",
  async (strategy) => {
    for (const situation of situationsOf(strategy)) {
      const { most } = situation;
      const { counterexamples } = await explore(stage, queueTrial(strategy, situation, 2), {
        most,
      });
      const [worst] = Object.values(counterexamples);
      expect(worst && tell(worst).transcript).toBeUndefined();
    }
  },
);

import { beforeAll, expect, test } from 'vitest';
import { counterexampleOf, explore } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { faults } from '../../../../src/lab/chapters/waitlist/faults.ts';
import { situations } from '../../../../src/lab/chapters/waitlist/situations.ts';
import { offerUnderLock } from '../../../../src/lab/chapters/waitlist/strategies/offer-under-lock.ts';
import { production } from '../../../../src/lab/chapters/waitlist/strategies/production.ts';
import { waitlistTrial } from '../../../../src/lab/chapters/waitlist/trial.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** The situations with the most schedules of production. A campaign plays all of them. */
const LARGE = ['lapse', 'cleanup', 'joining', 'declining'];

const cells = [offerUnderLock, production].flatMap((strategy) =>
  situations
    .filter(({ name }) => strategy !== production || !LARGE.includes(name))
    .map((situation) => ({ strategy, situation })),
);

test.for(cells)(
  '$strategy.name has no fault in any schedule of $situation.name',
  async ({ strategy, situation }, { signal }) => {
    const found = await explore(stage, waitlistTrial(strategy, situation, 2), { stop: signal });
    const worst = counterexampleOf(found, faults);
    expect(worst && tell(worst).transcript).toBeUndefined();
    expect(found.schedules).toBeGreaterThan(2);
  },
);

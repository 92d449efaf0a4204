import { beforeAll, expect, test } from 'vitest';
import { type ExploreOptions, explore, hasAny } from '../../../src/explorer/explore.ts';
import { lanesOf } from '../../../src/explorer/lanes.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import type { Trial } from '../../../src/explorer/trial.ts';
import { claimTrial } from '../../../src/lab/chapters/claims/trial.ts';
import type { Database } from '../../../src/platform/db/client.ts';
import { companies } from '../../../src/service/database/schema.ts';
import { situationNamed, strategyNamed } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';

let stages: readonly [Stage, ...Stage[]];
beforeAll(async () => {
  stages = [await makeStage(), await makeStage(), await makeStage()];
});

/** Explores on the first `count` stages. Returns the result, and the schedules in their order. */
async function exploreOn(count: number, makeTrial: () => Trial, options: ExploreOptions = {}) {
  const [stage, ...others] = stages;
  const schedules: string[] = [];
  const found = await explore(stage, makeTrial(), {
    ...options,
    beside: lanesOf(others.slice(0, count - 1), makeTrial),
    onPlayed: ({ schedule }) => void schedules.push(schedule.join()),
  });
  const { milliseconds, counterexamples, ...counted } = found;
  const clearest = Object.entries(counterexamples).map(([fault, { schedule }]) => [
    fault,
    schedule,
  ]);
  return { ...counted, clearest, schedules };
}

const claiming = (strategy: string, situation: string) => () =>
  claimTrial(strategyNamed(strategy), situationNamed(situation), 2);

test.each([
  ['naive', 'rollback', {}],
  ['unique-slot', 'last-slot', { most: 40 }],
  ['naive', 'rollback-again', { most: 17 }],
  ['naive', 'two-slots', { endsAfter: hasAny(['unsold']) }],
  ['naive', 'last-slot', { endsAfter: hasAny(['oversold']) }],
  ['row-lock', 'last-slot', { leavesOutMirrored: true }],
  ['naive', 'rollback-again', { leavesOutCommuting: true }],
])('%s in %s plays the same schedules in the same order with 1, 2 and 3 lanes', async (...of) => {
  const [strategy, situation, options] = of;
  const alone = await exploreOn(1, claiming(strategy, situation), options);
  for (const count of [2, 3])
    expect(await exploreOn(count, claiming(strategy, situation), options)).toEqual(alone);
});

/** Two sessions that read twice each. They have six schedules. */
const reading = (judge: Trial['judge']): Trial => {
  const read = async (db: Database) => {
    for (let times = 0; times < 2; times++) await db.select().from(companies);
  };
  return { setUp: async () => {}, sessions: [read, read], judge };
};
const ORDER = ['1,1,2,2', '2,2,1,1', '1,2,2,1', '2,1,1,2', '1,2,1,2', '2,1,2,1'];
const over = { faults: [], summary: '' };

/**
 * Makes trials for two lanes. Lane 1 plays schedule 1 and then schedule 3. Lane 2 plays schedule 2,
 * and does not end it before schedule 3 has ended. `end` is called with the number of the schedule.
 */
function lateLane(end: (number: number) => void) {
  let lanes = 0;
  let tellThird = () => {};
  const third = new Promise<void>((resolve) => {
    tellThird = resolve;
  });
  return () => {
    const lane = ++lanes;
    let played = 0;
    return reading(async () => {
      played++;
      if (lane === 2 && played === 1) await third;
      if (lane === 1 && played === 2) tellThird();
      if (played <= 2) end(lane === 2 ? 2 : 2 * played - 1);
      return over;
    });
  };
}

test('a lane that is late changes neither the order nor the result', async () => {
  const ends: number[] = [];
  const trial = lateLane((number) => void ends.push(number));
  expect((await exploreOn(2, trial)).schedules).toEqual(ORDER);
  expect(ends.slice(0, 3)).toEqual([1, 3, 2]);
});

test('the error of the earlier schedule is thrown', async () => {
  const trial = lateLane((number) => {
    if (number > 1) throw new Error(`schedule ${number}`);
  });
  await expect(exploreOn(2, trial)).rejects.toThrow('schedule 2');
});

test('a stop ends the exploration when all lanes have ended their schedules', async () => {
  const stopping = new AbortController();
  let playing = 0;
  const trial = (): Trial => ({
    ...reading(async () => {
      playing--;
      return over;
    }),
    setUp: async () => void playing++,
  });
  const onSchedule = (count: number) => count === 2 && stopping.abort(new Error('stopped'));
  const exploring = exploreOn(3, trial, { stop: stopping.signal, onSchedule });
  await expect(exploring).rejects.toThrow('stopped');
  expect(playing).toBe(0);
});

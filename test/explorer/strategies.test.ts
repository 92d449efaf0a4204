import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import claimEveryJob from '../lab/judge/judged/wrong-every-job.ts';
import {
  expectLockHolds,
  expectNoFault,
  expectVerdict,
  exploreClaims,
  situationsByTier,
  strategiesByTier,
  verdictOf,
} from '../support/claim-explorations.ts';
import { situationNamed, strategyNamed, trialOf } from '../support/claims-chapter.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('the number of schedules', () => {
  test.each([
    ['naive', 20, 18],
    ['transaction', 20, 18],
    ['row-lock', 8, 0],
  ])('of %s is %i if BEGIN is no step, and %i oversell', async (name, total, oversold) => {
    const found = await exploreClaims(stage, strategyNamed(name));
    expect([found.schedules, found.faults.oversold ?? 0]).toEqual([total, oversold]);
  });
});

// test/slow/explorer/strategies.test.ts has the strategies with many schedules. It also has
// schedules in which BEGIN is a step.
describe('two recruiters and one slot', () => {
  for (const strategy of strategiesByTier.fast)
    test(verdictOf(strategy), () => expectVerdict(stage, strategy));
});

test('a claim that also takes a slot of another job has the fault "untrue"', async () => {
  const found = await exploreClaims(stage, { claim: claimEveryJob });
  expect(found.faults).toEqual({ untrue: found.schedules });
  expect(found.counterexamples.untrue?.summary).toMatch(
    /^4 claims, 4 slots, and the rows of another job have changed$/,
  );
});

// Without the lock in claims/slots.ts this test fails, and prints a schedule that oversells.
test.each(situationsByTier.fast)(
  "production's claim alone has no fault in any schedule: %s",
  (name) => expectLockHolds(stage, name),
);

// This test fails if the check before the lock answers `full` although a slot is free.
test("production's queue gives a released slot to a recruiter who asks again", async () => {
  const found = await exploreClaims(stage, strategyNamed('production'), situationNamed('freed'));
  expectNoFault('production', found);
  expect(found.schedules).toBe(10);
});

test('production refuses a claim on a full job without locking the job', async () => {
  const played = await replay(stage, trialOf('production', 'two-servers'), ['1', '1', '1', '1']);
  const { steps } = tell(played);
  const looks = steps
    .flatMap(({ acts }) => acts)
    .filter(({ statement }) => /array_agg/.test(statement));
  expect(looks).not.toEqual([]);
  for (const { statement } of looks) expect(statement).not.toMatch(/for update/);
});

describe('a replay', () => {
  const play = (name: string, schedule: string) =>
    replay(stage, trialOf(name), schedule.split(','));

  test('gives the same transcript each time, to the letter', async () => {
    const texts = [];
    for (let n = 0; n < 3; n++)
      texts.push(tell(await play('stale-snapshot', '1,1,1,2,1,2,2,2')).transcript);
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]);
  });

  test('shows which session waits for which session, the counts, and a snapshot that was too old', async () => {
    const text = tell(await play('stale-snapshot', '1,1,1,2,1,2,2,2')).transcript;
    expect(text).toMatch(/ {5}S1 +S2\n/);
    expect(text).toContain('<waiting for S1>');
    expect(text).toContain('<… select completed>');
    expect(text.match(/→ 3 rows/g)).toHaveLength(2);
    expect(text.replace(/\s+/g, ' ')).toContain(
      '(does not see the commit of S1 at step 5, since its transaction has the snapshot of step 4)',
    );
    expect(text).toMatch(/5 claims, 4 slots: OVERSOLD$/);
  });

  test('shows at which step each session ended, and that there was no fault', async () => {
    const text = tell(await play('row-lock', '1,2')).transcript;
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain('= claimed (step 5) = full (step 7) 4 claims, 4 slots: no fault');
  });

  test('goes on with the first possible choice if the schedule is too short', async () => {
    const played = await play('row-lock', '2');
    expect(played.schedule).toEqual(['2', '1', '2', '2', '2', '1', '1']);
    expect(played.faults).toEqual([]);
  });

  test('throws an error with the possible choices if a step of the schedule is impossible', async () => {
    await expect(play('row-lock', '1,2,2')).rejects.toThrow(
      'Step 3 of the schedule is 2. The choices there: 1.',
    );
  });

  test('shows a wait that PostgreSQL cannot see', async () => {
    const text = tell(await play('mutex', '1,2')).transcript;
    expect(text).toContain('<waiting for something in memory>');
    expect(text).toMatch(/4 claims, 4 slots: no fault$/);
  });
});

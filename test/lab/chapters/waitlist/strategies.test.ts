import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { counterexampleOf, explore, hasAny, replay } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { faults } from '../../../../src/lab/chapters/waitlist/faults.ts';
import { waitlist } from '../../../../src/lab/chapters/waitlist/index.ts';
import { act, lockJob, offerFreeSlots } from '../../../../src/lab/chapters/waitlist/parts.ts';
import { situations } from '../../../../src/lab/chapters/waitlist/situations.ts';
import { offerUnderLock } from '../../../../src/lab/chapters/waitlist/strategies/offer-under-lock.ts';
import type {
  LineRequest,
  Outcome,
  WaitlistStrategy,
} from '../../../../src/lab/chapters/waitlist/strategy.ts';
import { waitlistTrial } from '../../../../src/lab/chapters/waitlist/trial.ts';
import type { Transaction } from '../../../../src/platform/db/client.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

function trialOf(strategy: WaitlistStrategy, name: string) {
  const situation = situations.find((each) => each.name === name);
  if (!situation) throw new Error(`there is no situation ${name}`);
  return waitlistTrial(strategy, situation, 2);
}

const namedStrategy = (name: string) => {
  const strategy = waitlist.strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`there is no strategy ${name}`);
  return strategy;
};

/** Plays all schedules. Returns the transcript of a schedule with a fault, if there is one. */
async function fallOf(strategy: WaitlistStrategy, situation: string) {
  const found = await explore(stage, trialOf(strategy, situation), {});
  const worst = counterexampleOf(found, faults);
  return worst && tell(worst).transcript;
}

/** Plays schedules until one of them has the fault. */
async function expectFault(strategy: WaitlistStrategy, situation: string, fault: string) {
  const found = await explore(stage, trialOf(strategy, situation), { endsAfter: hasAny([fault]) });
  expect(Object.keys(found.faults)).toContain(fault);
}

/** For each strategy without a promise: a situation, the fault there, and the schedule. */
const witnesses: [strategy: string, situation: string, fault: string, schedule: string][] = [
  ['polling', 'newcomer', 'overtaken', '1,1,1,2,2,2,2'],
  ['offer-after-commit', 'newcomer', 'overtaken', '1,1,1,2,2,2,2,2,2,2,2,1,1,1,1'],
  ['offer-after-commit', 'crash', 'idle', '1,1,1,k1'],
  ['release-without-lock', 'two-releases', 'idle', '1,1,1,2,2,2,1,2'],
  ['skip-locked', 'rollback', 'overtaken', '1,1,1,2,2,2,2,1'],
  ['join-without-lock', 'lost-wakeup', 'idle', '2,2,2,2,2,1,1,1,1,1,2,2'],
  ['lapsed-to-anyone', 'lapse', 'overtaken', '2,t,2,2,2,2,2,1,1,1,1,1'],
];

test.each(witnesses)(
  '%s: in %s there is a schedule with the fault %s',
  async (name, situation, fault, schedule) => {
    const played = await replay(
      stage,
      trialOf(namedStrategy(name), situation),
      schedule.split(','),
    );
    expect(played.faults, tell(played).transcript).toContain(fault);
  },
);

test('each strategy without a promise has a witness', () => {
  const wrong = waitlist.strategies.filter(({ promise }) => promise === 'nothing');
  expect(new Set(witnesses.map(([name]) => name))).toEqual(new Set(wrong.map(({ name }) => name)));
});

// test/slow/lab/chapters/waitlist.test.ts has the other situations.
test.each(['newcomer', 'two-releases', 'rollback', 'leaving', 'last-slot', 'crash'])(
  'offers under the lock of the job have no fault in any schedule: %s',
  async (situation) => {
    expect(await fallOf(offerUnderLock, situation)).toBeUndefined();
  },
);

describe('a line without one of its parts', () => {
  const inTransaction = (
    work: (tx: Transaction, request: LineRequest) => Promise<Outcome>,
  ): WaitlistStrategy => ({
    ...offerUnderLock,
    change: (db, request) => db.transaction((tx) => work(tx, request)),
  });
  const withoutLock = inTransaction(async (tx, request) => {
    const outcome = await act(tx, request);
    await offerFreeSlots(tx, request);
    return outcome;
  });

  test.each([
    ['two-releases', 'idle'],
    ['last-slot', 'oversold'],
    ['lost-wakeup', 'idle'],
  ])('has a fault without the lock of the job: %s, %s', (situation, fault) =>
    expectFault(withoutLock, situation, fault),
  );

  test('has a fault if it makes the offer before the change', () => {
    const tooEarly: WaitlistStrategy = {
      ...offerUnderLock,
      change: (db, request) =>
        db.transaction(async (tx) => {
          await lockJob(tx, request);
          await offerFreeSlots(tx, request);
          return act(tx, request);
        }),
    };
    return expectFault(tooEarly, 'two-releases', 'idle');
  });

  test('has a fault if it gives the slot to the line of another job', async () => {
    const ofAnotherJob = inTransaction(async (tx, request) => {
      await lockJob(tx, request);
      const outcome = await act(tx, request);
      await tx.execute(sql`with first as (
          delete from lab_waitlist.waitlist where id in (
            select id from lab_waitlist.waitlist order by id limit 1) returning recruiter_id)
        insert into job_claims (job_id, recruiter_id) select ${request.jobId}, recruiter_id from first`);
      return outcome;
    });
    const played = await replay(stage, trialOf(ofAnotherJob, 'crash'), []);
    expect(played.faults).toContain('lost');
    expect(played.summary).toContain('another job has changed');
  });

  test('has a fault if somebody loses a place', async () => {
    const removesAll = inTransaction(async (tx, { jobId }) => {
      await tx.execute(sql`delete from lab_waitlist.waitlist where job_id = ${jobId}`);
      await tx.execute(sql`delete from job_claims where job_id = ${jobId}`);
      return { kind: 'released' };
    });
    const played = await replay(stage, trialOf(removesAll, 'crash'), []);
    expect(played.faults).toEqual(['lost']);
  });

  const answering = (
    kind: LineRequest['kind'],
    answer: (...given: Parameters<typeof offerUnderLock.change>) => Promise<Outcome>,
  ): WaitlistStrategy => ({
    ...offerUnderLock,
    change: (db, request) =>
      request.kind === kind ? answer(db, request) : offerUnderLock.change(db, request),
  });

  test('is untrue if it refuses an offer before its end', () => {
    const refusing = answering('accept', async (db, request) => {
      await db.execute(sql`delete from job_claims where job_id = ${request.jobId}`);
      await db.transaction((tx) => offerFreeSlots(tx, request));
      return { kind: 'lapsed' };
    });
    return expectFault(refusing, 'lapse', 'untrue');
  });

  test('lets somebody overtake if a recruiter joins before the others', () => {
    const atTheFront = answering('join', (db, request) =>
      db.transaction(async (tx) => {
        await lockJob(tx, request);
        const outcome = await act(tx, request);
        await tx.execute(sql`
          update lab_waitlist.waitlist set id = -1 where id = (select max(id) from lab_waitlist.waitlist)`);
        await offerFreeSlots(tx, request);
        return outcome;
      }),
    );
    return expectFault(atTheFront, 'joining', 'overtaken');
  });

  test.each([
    ['claim', 'lapsed', 'last-slot'],
    ['leave', 'in line', 'leaving'],
    ['release', 'in line', 'crash'],
  ] as const)('is untrue if it answers %s with `%s`', async (request, kind, situation) => {
    const liar = answering(request, async () => ({ kind }));
    const played = await replay(stage, trialOf(liar, situation), []);
    expect(played.faults).toContain('untrue');
  });

  test.each([
    ['left', 'leaving'],
    ['accepted', 'lapse'],
    ['claimed', 'newcomer'],
    ['full', 'last-slot'],
    ['in line', 'lost-wakeup'],
  ] as const)('is untrue if it answers `%s` and changes nothing', async (kind, situation) => {
    const liar: WaitlistStrategy = { ...offerUnderLock, change: async () => ({ kind }) };
    const played = await replay(stage, trialOf(liar, situation), []);
    expect(played.faults).toContain('untrue');
  });

  test('holds if it keeps the place of a recruiter who has an offer', async () => {
    const keeping = inTransaction(async (tx, request) => {
      await lockJob(tx, request);
      const outcome = await act(tx, request);
      await tx.execute(sql`delete from job_claims
        where job_id = ${request.jobId} and expires_at <= statement_timestamp()`);
      await tx.execute(sql`
        insert into job_claims (job_id, recruiter_id, expires_at)
        select job_id, recruiter_id, statement_timestamp() + interval '15 minutes'
        from lab_waitlist.waitlist as line where job_id = ${request.jobId} and not exists (
          select from job_claims where job_id = line.job_id and recruiter_id = line.recruiter_id)
        order by id limit (select greatest(0, capacity - (
          select count(*) from job_claims where job_id = jobs.id)) from jobs where id = ${request.jobId})`);
      return outcome;
    });
    for (const situation of ['newcomer', 'leaving'])
      expect(await fallOf(keeping, situation)).toBeUndefined();
  });

  test('tells the truth if it answers `full` before a release', async () => {
    const early = '2,2,2,2,2,1,1,1,1,1'.split(',');
    const played = await replay(stage, trialOf(offerUnderLock, 'newcomer'), early);
    expect(played.faults).toEqual([]);
  });
});

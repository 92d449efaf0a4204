import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import type { ClaimStrategy } from '../../../src/lab/chapters/claims/strategy.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { alone } from '../../../src/lab/chapters/queue/situations.ts';
import { type Check, judge } from '../../../src/lab/judge/judge.ts';
import { type Outcome, slotsOf } from '../../../src/service/claims/rules.ts';
import { situationNamed, strategyNamed } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';
import locksCount from './judged/wrong-locks-the-count.ts';

const ALIKE =
  'orders that differ from a played order only in steps that commute, such as two reads';

const chapter = { ...queue, situationsOf: () => [alone] as const };
const crowd = async () => ({ holds: true, fault: 'twice' }) as Check;

test.each([
  ['not by default, and says so', {}, false],
  ['not with counts: false', { counts: false }, false],
  ['with counts: true', { counts: true }, true],
])('the judge checks the count of attempts: %s', async (_, options, isChecked) => {
  const exported = { ...options, work: async () => ({ kind: 'idle' }) };
  const strategy = queue.strategyOf(exported, 'mine', () => exported);
  if (!strategy) throw new Error('no strategy');
  const onStep = () => undefined;
  const explain = () => undefined;
  const judged = { chapter, strategy };
  const { checks, unchecked } = await judge([await makeStage()], judged, {
    onStep,
    explain,
    crowd,
  });
  expect(checks.some(({ fault }) => fault === 'miscounted')).toBe(isChecked);
  const advice = 'every attempt is counted (counts: true in the strategy asks for this check)';
  expect(unchecked).toEqual(isChecked ? [] : [advice]);
});

describe('of claims, the judge', async () => {
  const stages = [await makeStage(), await makeStage()] as const;
  const judgeClaims = async (
    strategy: ClaimStrategy,
    {
      endsAtFirst = false,
      isProgram = false,
      mostOfThree = 20,
      names = ['last-slot', 'first-slot'],
    } = {},
  ) => {
    const [first = '', ...others] = names;
    const situationsOf = () => [situationNamed(first), ...others.map(situationNamed)] as const;
    const firsts: Check[] = [];
    const judgement = await judge(
      stages,
      { chapter: { ...claims, situationsOf, mostOfThree }, strategy },
      {
        onStep: () => undefined,
        explain: () => undefined,
        crowd,
        onFirst: (check) => firsts.push(check),
        endsAtFirst,
        isProgram,
      },
    );
    return { ...judgement, firsts };
  };
  const naive = strategyNamed('naive');

  test('tells only the first counterexample, and plays on', async () => {
    const { firsts, checks, verdict } = await judgeClaims(naive);
    const broken = { fault: 'oversold', situation: 'last-slot', holds: false };
    const schedule = '1,2,2,2,1,1';
    expect(firsts).toEqual([
      { ...broken, ...rule, detail: 'schedule 3', counterexample: { schedule, ...transcript } },
    ]);
    expect(firsts[0]?.counterexample?.transcript).toContain('5 claims, 4 slots: OVERSOLD');
    expect(verdict).toBe('falls');
    expect(checks[0]).toMatchObject({ ...broken, detail: 'false in 6 of 8 schedules' });
    expect(checks.some(({ situation }) => situation === 'first-slot')).toBe(true);
  });

  test('ends with the first counterexample if it is asked to', async () => {
    const { checks, verdict, unplayed } = await judgeClaims(naive, { endsAtFirst: true });
    expect(verdict).toBe('falls');
    expect(unplayed[0]).toMatch(/^the situations after the last one above/);
    expect(checks).toHaveLength(1);
    expect(checks[0]?.detail).toBe('false in 1 of the first 3 schedules');
  });

  test('tells nothing early about a strategy that holds', async () => {
    const { firsts, verdict } = await judgeClaims(strategyNamed('row-lock'), { endsAtFirst: true });
    expect({ firsts, verdict }).toEqual({ firsts: [], verdict: 'holds' });
  });

  test('plays three recruiters if two break no rule, and says what it did not play', async () => {
    const { checks, unplayed } = await judgeClaims(strategyNamed('row-lock'));
    const three = { detail: 'the first 20 schedules', holds: true, fault: 'hang' };
    expect(checks.slice(-3, -1)).toMatchObject([
      { ...three, check: 'three recruiters, one slot is left: no fault' },
      { ...three, check: 'three recruiters, a new job with one slot, on an empty board: no fault' },
    ]);
    expect(unplayed).toEqual([ALIKE, 'orders of more than three recruiters']);
    const fallen = await judgeClaims(naive);
    expect(JSON.stringify(fallen.checks)).not.toContain('three recruiters');
    expect(fallen.unplayed).toEqual([ALIKE, 'orders of more than two recruiters']);
  });

  test('plays both orders of steps that commute in a program', async () => {
    const { checks, unplayed } = await judgeClaims(naive, { isProgram: true });
    expect(checks[0]?.detail).toBe('false in 18 of 20 schedules');
    expect(unplayed).toEqual(['orders of more than two recruiters']);
  });

  test('finds with three recruiters that a lock has another name after each claim', async () => {
    const strategy = { ...naive, claim: locksCount };
    const { verdict, checks, firsts } = await judgeClaims(strategy, {
      names: ['two-slots'],
      mostOfThree: 500,
    });
    expect(verdict).toBe('falls');
    const fallen = checks.filter(({ holds }) => !holds);
    const check = 'three recruiters, a slot for each: never more claims than slots';
    expect(fallen).toMatchObject([{ check, fault: 'oversold', situation: 'two-slots' }]);
    expect(fallen[0]?.counterexample?.transcript).toContain('5 claims, 4 slots: OVERSOLD');
    expect(firsts).toMatchObject([{ check }]);
  });

  test('says that it did not look into code inside the server', async () => {
    const claim: ClaimStrategy['claim'] = async (db, request) => {
      await db.execute(sql`do $$ begin perform 1; end $$`);
      return naive.claim(db, request);
    };
    const { unplayed } = await judgeClaims({ ...naive, claim }, { endsAtFirst: true });
    expect(unplayed[0]).toBe('orders inside DO: the server runs this code as one step');
  });

  test('says that it did not look into a function inside the server', async () => {
    for (const stage of stages)
      await stage.run(`create function "Is mine"() returns int language sql return 1`);
    const claim: ClaimStrategy['claim'] = async (db, request) => {
      await db.execute(sql`select "Is mine"(), count(*) from jobs`);
      return naive.claim(db, request);
    };
    const { unplayed } = await judgeClaims({ ...naive, claim }, { endsAtFirst: true });
    for (const stage of stages) await stage.run('drop function "Is mine"()');
    expect(unplayed[0]).toBe('orders inside Is mine(): the server runs this code as one step');
  });

  test('remarks on the wrong fields of an answer, beside the verdict', async () => {
    const rowLock = strategyNamed('row-lock');
    const claim: ClaimStrategy['claim'] = async (db, request) => {
      const outcome = await rowLock.claim(db, request);
      if (outcome.kind === 'full') return { ...outcome, slots: slotsOf(9, 0) };
      if (outcome.kind !== 'claimed') return outcome;
      return { ...outcome, claim: { ...outcome.claim, id: 0n } };
    };
    const { verdict, remarks } = await judgeClaims({ ...rowLock, claim });
    expect(verdict).toBe('holds');
    const right = (kind: string) => `the answer \`${kind}\` is right, but`;
    expect(new Set(remarks)).toEqual(
      new Set([
        `${right('claimed')} claim.id is not the one in the table`,
        `${right('full')} slots.capacity is not the capacity of the job`,
        `${right('full')} slots.claimed is below the capacity`,
      ]),
    );
    expect((await judgeClaims(rowLock)).remarks).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ['only a kind, as from a program', {}, []],
    [
      'numbers of another type',
      { slots: { capacity: 4, claimed: 4n, remaining: 0n } },
      ['a field of slots is no whole number'],
    ],
    ['slots without fields', { slots: {} }, ['a field of slots is no whole number']],
    ['a claim without fields', { claim: {} }, []],
    ['no claim', { claim: null, slots: null }, []],
  ])('gives a verdict on answers with %s', async (_, fields, words) => {
    const rowLock = strategyNamed('row-lock');
    const claim: ClaimStrategy['claim'] = async (db, request) => {
      const { kind } = await rowLock.claim(db, request);
      return (kind === 'claimed' ? { kind, ...(fields as object) } : { kind }) as Outcome;
    };
    const { verdict, remarks } = await judgeClaims({ ...rowLock, claim }, { names: ['last-slot'] });
    expect(verdict).toBe('holds');
    expect(remarks).toEqual(words.map((each) => `the answer \`claimed\` is right, but ${each}`));
  });

  test('says that a plain bug is no race', async () => {
    const claim: ClaimStrategy['claim'] = async (db) => {
      await db.execute(sql`select`);
      return { kind: 'no-such-recruiter' };
    };
    const { checks } = await judgeClaims({ ...naive, claim });
    const detail = 'false in 2 of 2 schedules, even one after the other';
    expect(checks.find(({ fault }) => fault === 'unsold')?.detail).toBe(detail);
  });
});

const rule = {
  where: 'one slot is left',
  check: 'one slot is left: never more claims than slots',
};
const transcript = { transcript: expect.any(String) };

import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { commute, isPlainRead } from '../../../src/explorer/commuting.ts';
import { Execution, firstSteps } from '../../../src/explorer/execution.ts';
import { explore } from '../../../src/explorer/explore.ts';
import { lanesOf } from '../../../src/explorer/lanes.ts';
import type { Step } from '../../../src/explorer/step.ts';
import type { Program } from '../../../src/explorer/trial.ts';
import { trialOf } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';

describe('a plain read is', () => {
  test.each([
    'select count(*) from job_claims where job_id = $1',
    'SELECT * FROM "jobs" WHERE "role" = \'for update\' -- into',
    'with held as (select 1) select exists (select from held), now()',
    'select coalesce(max(id), 0) from jobs;',
  ])('%s', (text) => expect(isPlainRead(text)).toBe(true));
});

describe('no plain read is', () => {
  test.each([
    'select * from jobs for update',
    'select * into copy from jobs',
    'with gone as (delete from jobs returning id) select * from gone',
    'select pg_advisory_xact_lock(1)',
    'select public.count(1)',
    'select set_up()',
    "select nextval('jobs_id_seq')",
    'select last_value from jobs_id_seq',
    'select xmax from jobs',
    'select cmax from jobs',
    'select release(1)',
    'select public.release(1)',
    'select * from pg_locks',
    'select 1; delete from jobs',
    "select 'no end",
    'update jobs set capacity = 1',
    'commit',
  ])('%s', (text) => expect(isPlainRead(text)).toBe(false));
});

const stages = [await makeStage(), await makeStage()] as const;

const step = (text: string, more: Partial<Step> = {}): Step => ({
  text,
  params: [],
  isolation: 'read committed',
  isInTransaction: true,
  ...more,
});
const read = step('select count(*) from job_claims');

describe('a plain read commutes with', () => {
  test.each([
    ['a plain read', read],
    ['a lock', step('select from jobs for update')],
    ['an advisory lock', step('select pg_advisory_xact_lock($1)')],
    [
      'a write with a list',
      step('insert into lab.claims (job_id) values (1) on conflict (id) do nothing'),
    ],
    ['a write in a transaction', step('insert into job_claims values (1)')],
    ['the write of an autocommit', step('delete from jobs', { isAutocommit: true })],
    ['ROLLBACK', step('rollback')],
  ])('%s', (_, other) => {
    expect(commute(read, other)).toBe(true);
    expect(commute(other, read)).toBe(true);
  });
});

describe('a plain read does not commute with', () => {
  test.each([
    ['COMMIT', step('commit')],
    ['a call outside of a transaction', step('select claim(1)', { isInTransaction: false })],
    ['a step that is unknown', undefined],
    ['an effect', step('send mail 1', { effect: { text: 'send mail 1' } })],
    ['a change of a table', step('truncate jobs')],
    ['a lock of a table', step('lock table jobs')],
    ['a text with a COMMIT', step('insert into jobs values (1); commit')],
    ['two statements', step('insert into jobs values (1); truncate jobs')],
    ['a ROLLBACK and a write', step('rollback; insert into jobs values (1)')],
    ['a function of somebody', step('select lock_jobs()')],
    ['a block', step('do $$ begin commit; end $$')],
    ['a serializable step', step('insert into jobs values (1)', { isolation: 'serializable' })],
  ])('%s', (_, other) => {
    expect(commute(read, other)).toBe(false);
    expect(commute(other, read)).toBe(false);
  });
});

test('steps commute only while no session waits, and before a statement such as SET', async () => {
  const [stage] = stages;
  const play = async (...texts: string[]) => {
    const run: Program = (db) =>
      db.transaction(async (tx) => {
        for (const text of texts) await tx.execute(sql.raw(text));
      });
    const reader: Program = async (db) => {
      await db.execute(sql`select count(*) from job_claims`);
      await db.execute(sql`select count(*) from jobs`);
    };
    const judge = async () => ({ faults: [], summary: '' });
    const trial = { setUp: async () => {}, sessions: [run, reader, run], judge };
    return Execution.start(stage, trial, { first: await firstSteps(stage, trial) });
  };
  const lock = 'select from companies for update';
  const usual = await play(lock, lock);
  await usual.step('1');
  expect(usual.commute('1', '2')).toBe(true);
  await usual.step('3');
  expect(usual.actors[2]?.status).toBe('waiting');
  expect(usual.commute('1', '2')).toBe(false);
  await stage.abandon();
  const unusual = await play("set local work_mem = '1MB'", lock);
  await unusual.step('1');
  expect(unusual.commute('1', '2')).toBe(false);
  await stage.abandon();
});

test('two locks do not commute, nor do two writes', () => {
  const lock = step('select from jobs for update');
  const write = step('delete from job_claims');
  expect([commute(lock, lock), commute(write, write), commute(lock, write)]).not.toContain(true);
});

// test/campaigns/explorer/commuting.test.ts does the same with every strategy and situation.
test.each([
  ['naive', 'rollback-again'],
  ['transaction', 'last-slot'],
  ['optimistic', 'last-slot'],
  ['mutex', 'last-slot'],
])('%s in %s has the same faults in fewer schedules', async (name, situation) => {
  const trial = () => trialOf(name, situation);
  const beside = lanesOf(stages.slice(1), trial);
  const all = await explore(stages[0], trial(), { beside });
  const fewer = await explore(stages[0], trial(), { beside, leavesOutCommuting: true });
  expect(Object.keys(fewer.faults).sort()).toEqual(Object.keys(all.faults).sort());
  expect(fewer.isComplete).toBe(true);
  if (name === 'mutex') expect(fewer.schedules).toBe(all.schedules);
  else expect(fewer.schedules).toBeLessThan(all.schedules);
});

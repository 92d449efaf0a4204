import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../src/explorer/explore.ts';
import { Leftovers } from '../../src/explorer/leftovers.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import type { Lend } from '../../src/explorer/trial.ts';
import type { Rows, Session } from '../../src/platform/db/session.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const statement = (text: string) => ({ text, params: [], asArrays: false });
const runAll = (session: Session, texts: readonly string[]) =>
  texts.reduce<Promise<Rows[]>>(
    async (rows, text) => [...(await rows), await session.run(statement(text))],
    Promise.resolve([]),
  );

const SETTING = "select current_setting('rowlock.left', true) is distinct from '1' as clean";
const LOCK =
  "select not exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as clean";

describe('a schedule leaves nothing to the next schedule:', () => {
  test.each([
    [
      'an open transaction',
      ['begin', 'select pg_current_xact_id()'],
      'select pg_current_xact_id_if_assigned() is null as clean',
    ],
    ['a setting', ["set rowlock.left = '1'"], SETTING],
    ['a setting by a function', ["select set_config('rowlock.left', '1', false)"], SETTING],
    [
      'a setting by a function of its own',
      [
        `create or replace function leave() returns text language sql
          as $$ select set_config('rowlock.left', '1', false) $$`,
        'select leave()',
      ],
      SETTING,
    ],
    ['a session lock', ['select pg_advisory_lock(pg_backend_pid())'], LOCK],
    [
      'a session lock in a block',
      ['do $$ begin perform pg_advisory_lock(pg_backend_pid()); end $$'],
      LOCK,
    ],
    [
      'a temporary table',
      ['create temp table if not exists left_over ()'],
      "select to_regclass('pg_temp.left_over') is null as clean",
    ],
    [
      'a channel',
      ['listen left_over'],
      'select not exists (select pg_listening_channels()) as clean',
    ],
  ])('%s', async (_, leaves, check) => {
    const found: boolean[] = [];
    const program = async (_db: unknown, _sleep: unknown, _effect: unknown, lend: Lend) => {
      const [row] = await lend((session) => session.run(statement(check)));
      found.push((row as { clean: boolean }).clean);
      await lend((session) => runAll(session, leaves));
    };
    const judge = async () => ({ faults: [], summary: '' });
    await explore(
      stage,
      { setUp: async () => {}, sessions: [program, program], judge },
      { most: 4 },
    );
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(found).toEqual(found.map(() => true));
  });
});

describe('the words of a statement', () => {
  const follow = (...texts: string[]) => {
    let isUnusual = false;
    const run = async () => Object.assign([], { command: '' });
    const leftovers = new Leftovers({ run, isAlive: () => true, close: async () => {} }, () => {
      isUnusual = true;
    });
    for (const text of texts) void leftovers.session.run(statement(text));
    return { isOpen: leftovers.isOpen, isUnusual };
  };

  test('of a usual transaction leave nothing', () => {
    const texts = ['begin', 'savepoint a', 'select 1', 'insert into t values (1)', 'commit'];
    expect(follow(...texts)).toEqual({ isOpen: false, isUnusual: false });
    expect(follow('begin', ' Select 1 ', 'ROLLBACK')).toEqual({ isOpen: false, isUnusual: false });
  });

  test('leave a transaction open', () => {
    expect(follow('begin isolation level serializable', 'select 1').isOpen).toBe(true);
    expect(follow('begin', 'rollback to savepoint a').isOpen).toBe(true);
    expect(follow('start transaction').isOpen).toBe(true);
  });

  test.each([
    'commit and chain',
    'begin; select 1',
    'select 1; begin',
    'set a.b = 1',
    "select set_config('a.b', '1', false)",
    'select pg_try_advisory_lock_shared(1)',
    'select 1 into temp t',
    'create function f() returns int language sql return 1',
    'do $$ begin end $$',
    'call f()',
    'prepare a as select 1',
    'explain analyze select f()',
    '/* a comment */ select 1',
  ])('are unusual: %s', (text) => {
    expect(follow(text).isUnusual).toBe(true);
  });
});

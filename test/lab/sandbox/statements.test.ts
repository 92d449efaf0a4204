import { describe, expect, test } from 'vitest';
import { allowedStatements, asStep, statementsOf } from '../../../src/lab/sandbox/statements.ts';

describe('the text is split into the right statements', () => {
  test.each<[string, string[]]>([
    ['select 1; select 2;', ['select 1', 'select 2']],
    [`select ';'; select 'it''s;'`, [`select ';'`, `select 'it''s;'`]],
    [`select E'\\';' ; commit`, [`select E'\\';'`, 'commit']],
    ['select ";" ; commit', ['select ";"', 'commit']],
    ['select $$;$$; select $a$;$b$;$a$', ['select $$;$$', 'select $a$;$b$;$a$']],
    ['-- one; two\nselect 1 -- three;', ['select 1']],
    ['/* a /* b; */ c; */ commit /* d */ ;', ['commit']],
    [';;; ', []],
    ['select 1 /* never closed ; select 2', ['select 1 /* never closed ; select 2']],
  ])('%s', (text, expected) => {
    expect(statementsOf(text).map((each) => each.text)).toEqual(expected);
  });

  test('each statement has the number of the line on which it begins', () => {
    const lines = statementsOf('\n-- a\nselect 1;\n\n  select\n 2; select 3').map(
      ({ line }) => line,
    );
    expect(lines).toEqual([3, 5, 6]);
  });
});

describe('a session may not contain', () => {
  test.each([
    ...['copy t to stdout', 'set statement_timeout = 0', 'reset role', 'set role postgres'],
    ...[
      'set local role postgres',
      'set session authorization postgres',
      'set transaction_isolation = x',
    ],
    ...['do $$ begin end $$', 'listen a', 'notify a', 'unlisten a', 'prepare transaction $$x$$'],
    ...['prepare p as select 1', 'execute p', 'deallocate p', 'declare c cursor for select 1'],
    ...['fetch c', 'move c', 'close c', 'call p()', 'create table t (a int)', 'drop table t'],
    ...['alter role a', 'grant a to b', 'revoke a from b', 'vacuum', 'analyze t', 'cluster t'],
    ...[
      'explain analyze select 1',
      'discard all',
      'checkpoint',
      'load $$x$$',
      'comment on table t is null',
    ],
    ...[
      'commit prepared $$x$$',
      'rollback prepared $$x$$',
      'commit and chain',
      'rollback and chain',
    ],
    ...['end and no chain', 'show all', 'reindex table t', 'security label on table t is null'],
    ...[
      'import foreign schema s from server x into y',
      'reassign owned by a to b',
      'drop owned by a',
    ],
    ...['\u00a0set role x', '\\copy', '$$', '"commit"'],
  ])('%s', (text) => {
    expect(() => allowedStatements('session 1', text)).toThrow(
      /session 1, line 1: .* is not allowed/,
    );
  });

  test('a forbidden statement behind a comment', () => {
    const text = 'select 1;\n/* harmless */ -- select\n set role postgres';
    expect(() => allowedStatements('session 2', text)).toThrow('session 2, line 3: "set role" is');
  });
});

test('the part for the tables may not contain transactions, functions, rules or triggers', () => {
  const texts = [
    'begin',
    'commit',
    'create function f() returns int',
    'create rule r as on select',
    'create trigger t',
  ];
  for (const text of [
    ...texts,
    'create temp table t (a int)',
    'create schema s',
    'create extension x',
  ])
    expect(() => allowedStatements('tables', text)).toThrow('is not allowed here');
});

test('the check may not write or lock', () => {
  for (const text of ['update t set a = 1', 'commit', 'lock t'])
    expect(() => allowedStatements('check', text)).toThrow('is not allowed here');
});

test.each([
  ['COMMIT', 'commit'],
  ['end', 'commit'],
  ['commit\n work', 'commit'],
  ['ABORT TRANSACTION', 'rollback'],
  ['rollback to a', 'rollback to a'],
  ['select 1', 'select 1'],
])('the explorer gets %s as the step %s', (text, step) => {
  expect(asStep({ text, line: 1 })).toBe(step);
});

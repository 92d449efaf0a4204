import { expect, test } from 'vitest';
import { isPassing, normal } from '../../../src/explorer/wire/passing.ts';

test.each([
  '',
  'SET client_min_messages TO warning',
  'show server_version',
  'DISCARD ALL',
  'select 1',
  'SELECT version(), current_schema()',
  "select set_config('a', 'b', false), pg_is_in_recovery() as standby",
  'select t.oid, typname from pg_catalog.pg_type t join pg_namespace n on n.oid = t.typnamespace',
])('%j is not a step', (text) => {
  expect(isPassing(text)).toBe(true);
});

test.each([
  'set constraints all immediate',
  'set a = 1; update jobs set capacity = 1',
  "select nextval('a')",
  'select pg_advisory_lock(1)',
  'select 1, pg_sleep(1)',
  "select from information_schema.tables where table_name = 'migrations'",
  "select to_regclass('migrations')",
  'select from jobs, pg_type',
  'select from jobs join pg_type on true',
  'with a as (delete from jobs) select from pg_type',
])('%j is a step', (text) => {
  expect(isPassing(text)).toBe(false);
});

test.each([
  [' COMMIT ; ', 'commit'],
  ['end transaction', 'commit'],
  ['ABORT WORK', 'rollback'],
  ['/* request 7 */ -- of today\n select 1 /* at=12:00 */;', 'select 1'],
  ["select '/*' /* a */", "select '/*'"],
  ['rollback to a', 'rollback to a'],
  ['-- nothing', ''],
  ['/* without an end', '/* without an end'],
])('%j is read as %j', (text, read) => {
  expect(normal(text)).toBe(read);
});

test('a text with many comments before and after a statement is read', () => {
  const text = `select 1${'/**/'.repeat(1e5)}${' ;'.repeat(1e5)}`;
  expect(normal(`${'/**/'.repeat(1e5)}${text}`)).toContain('select 1');
});

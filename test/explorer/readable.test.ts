import { expect, test } from 'vitest';
import { readableRows, readableStatement } from '../../src/explorer/readable.ts';

test('a readable statement shows the values of its parameters, if the parameters are known', () => {
  const text = 'select from jobs where id = $1 and capacity = $2';
  expect(readableStatement({ text, params: ['1', null] })).toBe(
    'select from jobs where id = 1 and capacity = null',
  );
  expect(readableStatement({ text, params: [] })).toBe(text);
  expect(readableStatement({ text: 'select $1', params: ["it's"] })).toBe("select 'it''s'");
});

test.each([
  ['select pg_advisory_xact_lock(1)', '', 'locked'],
  ['select pg_advisory_xact_lock_shared(1) as answer', '', 'locked'],
  ['select pg_advisory_lock(1)', '', 'locked'],
  ['select pg_advisory_lock_shared(1)', '', 'locked'],
  ['select pg_advisory_unlock(1)', true, 'unlocked'],
  ['select pg_advisory_unlock_shared(1)', 't', 'unlocked'],
  ['select pg_advisory_unlock_all()', '', 'unlocked'],
  ['select pg_advisory_unlock(1)', false, 'pg_advisory_unlock false'],
  ['select pg_try_advisory_lock(1) as locked', true, 'locked true'],
  ['select name from companies', '', 'name'],
])('the transcript shows the answer of %s (%j) as: %s', (text, value, words) => {
  const step = { text, params: [], isolation: 'read committed' as const };
  expect(readableRows([[value]], step)).toBe(words);
});

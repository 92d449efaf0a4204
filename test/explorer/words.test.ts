import { describe, expect, test } from 'vitest';
import { hasControl, isWrite } from '../../src/explorer/words.ts';

describe('a text that cannot run inside a transaction:', () => {
  test.each([
    'insert into jobs default values; commit',
    'select 1; /* over */ rollback',
    'do $$ begin perform 1; end $$; commit',
    'do $$ begin insert into jobs default values; commit; end $$',
    'do $body$ begin rollback and chain; end $body$',
  ])('%s', (text) => {
    expect(hasControl(text)).toBe(true);
  });
});

describe('a text that can run inside a transaction:', () => {
  test.each([
    'insert into jobs default values',
    'do $$ begin perform 1; end $$',
    'do $$ begin if true then perform 1; end if; end; $$',
    'do $$ declare n int; begin perform 1; end $$ language plpgsql',
    'do $$ begin -- no commit;\n perform 1; end $$',
    "do $$ begin raise exception 'no commit;'; end $$",
    'create function f() returns void language plpgsql as $f$ begin perform 1; end $f$',
    "insert into companies (name) values ('; commit')",
  ])('%s', (text) => {
    expect(hasControl(text)).toBe(false);
  });
});

test('a DO block counts as a write, because a function in the block may write', () => {
  const block = 'do $$ begin perform take(1); end $$';
  for (const before of ['', '-- take one\n', '/* take\none */ '])
    expect(isWrite(before + block)).toBe(true);
  expect(isWrite('select take(1)')).toBe(false);
});

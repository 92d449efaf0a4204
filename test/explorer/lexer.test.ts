import fc from 'fast-check';
import { parseSync } from 'libpg-query';
import { describe, expect, test } from 'vitest';
import { codeOf, tokensOf } from '../../src/explorer/lexer.ts';
import { withLabTime } from '../../src/explorer/time.ts';
import { isWrite, namesClock, takesSessionLock } from '../../src/explorer/words.ts';
import { writesIn } from '../../src/explorer/writes.ts';

describe('tokens', () => {
  test.each([
    [String.raw`select E'it\'s'`, ['select', String.raw`E'it\'s'`]],
    ["select 'it''s' -- it's", ['select', "'it''s'", "-- it's"]],
    ['/* a /* b */ c */ x', ['/* a /* b */ c */', 'x']],
    ['select $a$ $b$ $a$, $1', ['select', '$a$ $b$ $a$', ',', '$1']],
    [`select "a""b", U&'d\\0061'`, ['select', '"a""b"', ',', `U&'d\\0061'`]],
    ["select 'é', ü, '日本'", ['select', "'é'", ',', 'ü', ',', "'日本'"]],
    ['', []],
    [' \n', []],
  ])('of %s', (text, expected) => {
    expect(tokensOf(text).map((token) => token.text)).toEqual(expected);
    for (const { at, text: said } of tokensOf(text))
      expect(text.slice(at, at + said.length)).toBe(said);
  });

  test.each([
    "select 'a",
    'select /* a',
    'select $a$ b',
    "select 'a\0'",
    `select '${'x'.repeat(20_000)}'`,
  ])('a text that is not divided is one token: %.20s', (text) => {
    expect(tokensOf(text)).toEqual([{ kind: 'unknown', text, at: 0 }]);
    expect(withLabTime(text)).toBe(text);
  });

  test('are the same after many other texts', () => {
    const first = tokensOf('select 1');
    for (let number = 0; number < 100; number++)
      tokensOf(`select '${'x'.repeat(10_000)}', ${number}`);
    expect(tokensOf('select 1')).toEqual(first);
  });
});

test.each([
  [`select 'now()', "now" /* now() */ from "job_claims" -- x`, `select '', now   from job_claims`],
  ['select "order", "update", "a b", "A"', 'select "order", "update", "a b", "A"'],
  ['do $$ begin commit; end $$', "do ''"],
])('the code of %s is %s', (text, code) => {
  expect(codeOf(text)).toBe(code);
});

describe('words in strings, comments and quoted names are no words of SQL:', () => {
  test.each([
    "select from jobs where note = 'update'",
    'select "update" from jobs',
    String.raw`select E'it\'s; delete from jobs'`,
    'select $$ insert into jobs $$',
    "select 1 /* don't update */",
  ])('%s is no write', (text) => {
    expect(isWrite(text)).toBe(false);
    expect(writesIn(text)).toEqual([]);
  });

  test('a write after a comment with a quote is a write', () => {
    const text = `/* don't */ update "jobs" set note = 'x'`;
    expect(isWrite(text)).toBe(true);
    expect(writesIn(text)).toEqual([{ words: 'update jobs', verb: 'update', table: 'jobs' }]);
  });

  test('the words in a DO block count', () => {
    expect(namesClock('do $$ begin perform now(); end $$')).toBe(true);
    expect(takesSessionLock('do $$ begin perform pg_advisory_lock(1); end $$')).toBe(true);
    expect(writesIn("do 'begin delete from jobs; end'")).toMatchObject([{ table: 'jobs' }]);
  });

  test('a table may have any name', () => {
    expect(writesIn('insert into "user" values (1)')).toMatchObject([{ table: 'user' }]);
    expect(writesIn('update "public"."Job" set a = 1')).toEqual([
      { words: 'update public.Job', verb: 'update', table: 'public.Job' },
    ]);
  });

  test('a control character changes nothing', () => {
    const text = "select 'a\x1bb', current_date";
    expect(withLabTime(text)).toBe('select \'a\x1bb\', lab_time."current_date"()');
  });

  test('a clock and a lock in a string are none', () => {
    expect(namesClock("select 'now()'")).toBe(false);
    expect(namesClock(`/* don't */ select now()`)).toBe(true);
    expect(takesSessionLock("select 'pg_advisory_lock(1)'")).toBe(false);
    expect(takesSessionLock('select pg_advisory_lock(1)')).toBe(true);
  });
});

/** Pieces of a list of columns. PostgreSQL reads each piece as one expression. */
const pieces = {
  clocks: ['current_date', 'CURRENT_TIMESTAMP', 'LocalTimestamp'],
  others: [
    String.raw`E'it\'s current_date'`,
    "'it''s current_date'",
    "'current_date'",
    '$$current_date$$',
    '$a$ $$ localtimestamp $a$',
    '"current_date"',
    '"a "" current_timestamp"',
    'my_current_date',
    'current_date_1',
    "'日本 current_date'",
    'current_timestamp(3)',
    '1',
    '$1',
    'now()',
  ],
  spaces: [
    ' ',
    '\n',
    "/* don't current_date */",
    "-- it's current_date\n",
    '/* /* current_date */ */',
  ],
};

const spaced = fc.tuple(
  fc.constantFrom(...pieces.spaces),
  fc.constantFrom(...pieces.clocks, ...pieces.others),
  fc.constantFrom(...pieces.spaces),
);

/** Returns the columns of a query, as PostgreSQL's parser reads them, without their positions. */
function columnsOf(text: string): unknown[] {
  const parsed = JSON.stringify(parseSync(text), (key, value) =>
    key === 'location' ? undefined : value,
  );
  return JSON.parse(parsed).stmts[0].stmt.SelectStmt.targetList;
}

const labClock = (keyword: string) => columnsOf(`select lab_time."${keyword.toLowerCase()}"()`)[0];

test('the clock is replaced in each column that reads it, and no other column changes', () => {
  fc.assert(
    fc.property(fc.array(spaced, { minLength: 1, maxLength: 8 }), (columns) => {
      const text = `select ${columns.map((column) => column.join('')).join(',')}`;
      const before = columnsOf(text);
      const after = columnsOf(withLabTime(text));
      for (const [index, [, piece]] of columns.entries())
        expect(after[index]).toEqual(
          pieces.clocks.includes(piece) ? labClock(piece) : before[index],
        );
    }),
    { numRuns: 300 },
  );
});

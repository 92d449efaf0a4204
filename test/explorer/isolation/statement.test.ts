import { describe, expect, test } from 'vitest';
import { asLines, asSql, NotForTester } from '../../../src/explorer/isolation/statement.ts';
import { makeStage } from '../../support/stage.ts';

const sql = (text: string, ...params: unknown[]) => asSql({ text, params });

describe('a statement for the tester', () => {
  test.each([
    ['select $1, $2', ["it's", 5], "select 'it''s', '5'"],
    ['select $1, $2, $3', [7n, true, null], "select '7'::bigint, true, null"],
    ['select $1', [new Date(0)], "select '1970-01-01T00:00:00.000Z'::timestamptz"],
    ['select $1', [Buffer.from('a')], "select '\\x61'::bytea"],
    ['select $1', ['{1,2}'], String.raw`select e'{1,2\175'`],
    ['select $1', ['\\}\n'], String.raw`select e'\\\175\n'`],
    ["select '$1', $1", ['a'], "select '$1', 'a'"],
    ["select '{}'::jsonb, 'it''s }'", [], String.raw`select e'{\175'::jsonb, e'it''s \175'`],
    ['select $$ {} $$, $a$}$a$', [], String.raw`select e' {\175 ', e'\175'`],
    [String.raw`select e'\'}'`, [], String.raw`select e'\'\175'`],
    ['select 1 -- }\n  ,\n\t2 /* } */', [], 'select 1 , 2'],
  ])('%s', (text, params, expected) => {
    expect(sql(text, ...params).replaceAll(/ +/g, ' ')).toBe(expected);
  });

  test('has the same values with literals as with parameters', async () => {
    const values = ["it's } \\ {}\n", '{"a": {"b": 1}}', '\\}', "''", 'é}'];
    const stage = await makeStage();
    for (const value of values) {
      const [row] = await stage.run(sql('select $1::text as value', value));
      expect(row).toEqual({ value });
    }
  });

  test('keeps its line breaks in the set-up', () => {
    expect(asLines({ text: 'select 1,\n  $1', params: [2] })).toBe("select 1,\n  '2'");
  });

  test.each([
    ['select "}"', []],
    ['select $1', [[1]]],
  ])('is refused if the SQL is: %s', (text, params) => {
    expect(() => sql(text, ...params)).toThrow(NotForTester);
  });
});

import type { Experiment } from '../../src/lab/sandbox/experiment.ts';

/**
 * Statements that PostgreSQL 18 does not interrupt. They never check for a signal, so
 * `pg_cancel_backend` and `pg_terminate_backend` have no effect on them. Each statement takes much
 * longer than the sandbox allows. We tried each kind of function. We found no such statement with
 * regular expressions, sorts, full text search, numeric powers and roots, hashes, ranges or
 * recursion.
 */
export const ENDLESS: Record<string, string> = {
  'searches a text': `select strpos(repeat('a', 20000000), 'b' || repeat('a', 10000000))`,
  'normalizes a text': `select length(normalize(repeat(U&'\\0301\\0316', 300000), NFD))`,
  'compares arrays': `select array(select generate_series(1, 40000)) && array(select generate_series(50001, 90000))`,
  'compares with LIKE': `select repeat('a', 300000) like '%' || repeat('a', 150000) || 'b'`,
  'compares with ILIKE': `select repeat('a', 300000) ilike '%' || repeat('a', 150000) || 'b'`,
  'compares bytes with LIKE': `select repeat('a', 300000)::bytea like ('%' || repeat('a', 150000) || 'b')::bytea`,
  'asks for a normal form': `select repeat(U&'\\0301\\0316', 300000) is nfkd normalized`,
  'splits a text': `select length(split_part(repeat('a', 20000000), 'b' || repeat('a', 10000000), 2))`,
  'replaces in a text': `select length(replace(repeat('a', 20000000), 'b' || repeat('a', 10000000), ''))`,
  'makes an array of a text': `select cardinality(string_to_array(repeat('a', 20000000), 'b' || repeat('a', 10000000)))`,
  'looks for an array in an array': `select array(select generate_series(1, 90000)) @> array(select generate_series(90000, 1, -1))`,
  'looks for texts in an array': `select array(select g::text from generate_series(1, 40000) g) <@ array(select g::text from generate_series(40000, 1, -1) g)`,
  'translates letters': `select length(translate(repeat('a', 1000000), repeat('b', 1000000), ''))`,
  'trims letters': `select length(ltrim(repeat('a', 1000000), repeat('b', 1000000) || 'a'))`,
  'trims wide letters': `select length(rtrim(repeat('ä', 500000), repeat('ö', 500000) || 'ä'))`,
  'trims bytes': `select length(btrim(repeat('a', 1000000)::bytea, (repeat('b', 1000000) || 'a')::bytea))`,
  'searches bits': `select position((repeat('0', 4000000) || '1')::varbit in repeat('0', 8000000)::varbit)`,
  'reads a hexadecimal number': `select sum(length(('0x' || repeat('F', 100000 + g))::numeric::text)) from generate_series(1, 3) g`,
  'looks for JSON in JSON': `select (select jsonb_agg(g) from generate_series(1, 60000) g) @> (select jsonb_agg(g) from generate_series(60000, 1, -1) g)`,
  'looks for keys in JSON': `select (select jsonb_agg(g::text) from generate_series(1, 60000) g) ?| array(select (g + 100000)::text from generate_series(1, 60000) g)`,
  'removes keys from JSON': `select pg_column_size((select jsonb_agg(g::text) from generate_series(1, 60000) g) - array(select (g + 100000)::text from generate_series(1, 60000) g))`,
  'overlaps polygons': `select polygon(40000, circle '((0,0),1)') && polygon(40000, circle '((0,0),2)')`,
  'measures between polygons': `select polygon(40000, circle '((0,0),2)') <-> polygon(40000, circle '((9,0),1)')`,
  'crosses paths': `select polygon(40000, circle '((0,0),2)')::path ?# polygon(40000, circle '((0,0),1)')::path`,
  'measures between paths': `select polygon(40000, circle '((0,0),2)')::path <-> polygon(40000, circle '((0,0),1)')::path`,
  'searches XML': `select count(*) from unnest(xpath('//a[count(preceding::a) = -1]', ('<r>' || repeat('<a/>', 30000) || '</r>')::xml))`,
  'compares in XML': `select count(*) from unnest(xpath('//a[. = //a[. = "b"]]', ('<r>' || repeat('<a>c</a>', 30000) || '</r>')::xml))`,
};

/** Four of the statements, for tests that must be short. */
export const SOME_ENDLESS = [
  'searches a text',
  'normalizes a text',
  'compares arrays',
  'compares with LIKE',
].map((name) => ENDLESS[name] ?? '');

let number = 0;

/** Returns an experiment whose first session runs the statement. All experiments are different. */
export const endless = (statement: string): Experiment => ({
  tables: 'create table t (n int)',
  sessions: [statement, 'select 1'],
  check: `select true, ${number++}`,
});

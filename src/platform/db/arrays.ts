import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * Writes values as the text of a PostgreSQL array. The SQL must cast this parameter, because our
 * sessions know no array types.
 */
export const arrayOf = (values: readonly (bigint | number | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

/**
 * Makes the condition that the column holds one of these ids. All ids together are one parameter.
 * `IN` takes one parameter for each id. With `IN`, a different number of ids would need a different
 * text, plan and prepared statement.
 */
export const anyOf = (column: Column, ids: readonly bigint[]): SQL =>
  sql`${column} = any(${arrayOf(ids)}::bigint[])`;

/**
 * A placeholder of a compiled statement for the text of an array. PostgreSQL cannot see through the
 * subquery, so it expects the same number of elements in every array, and keeps one plan after five
 * executions. A plain parameter shows its length. A plan for one element looks cheaper, so PostgreSQL
 * planned the statements of a lone claim at each execution.
 */
export const arrayIn = (name: string, type: 'bigint' | 'integer'): SQL =>
  sql`(select ${sql.placeholder(name)}::${sql.raw(type)}[])::${sql.raw(type)}[]`;

/**
 * Reads the ids in the text of a PostgreSQL array. Null means no ids, because an aggregate over no
 * rows is null.
 */
export const idsIn = (array: string | null): bigint[] =>
  array === null ? [] : array.slice(1, -1).split(',').map(BigInt);

import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * A PostgreSQL array as text. The parameter needs a cast, since our sessions know no array types.
 */
export const arrayOf = (values: readonly (bigint | number | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

/**
 * Whether the column is one of these ids. This needs one parameter for any number of ids. `IN`
 * needs a parameter for each id, so each number of ids would have a text, a plan and a prepared
 * statement of its own.
 */
export const anyOf = (column: Column, ids: readonly bigint[]): SQL =>
  sql`${column} = any(${arrayOf(ids)}::bigint[])`;

/** The ids in the text of a PostgreSQL array. An aggregate over no rows gives null: no ids. */
export const idsIn = (array: string | null): bigint[] =>
  array === null ? [] : array.slice(1, -1).split(',').map(BigInt);

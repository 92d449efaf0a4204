import { type Column, type SQL, sql } from 'drizzle-orm';

/** A PostgreSQL array as text, for a parameter that is cast: our sessions know no array types. */
export const arrayOf = (values: readonly (bigint | number | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

/**
 * Whether the column is one of these ids. One parameter however many there are: `IN` has one for
 * each, hence another text, another plan and another prepared statement for each number.
 */
export const anyOf = (column: Column, ids: readonly bigint[]): SQL =>
  sql`${column} = any(${arrayOf(ids)}::bigint[])`;

/** The ids in the text of such an array; none for null, which an aggregate of no rows is. */
export const idsIn = (array: string | null): bigint[] =>
  array === null ? [] : array.slice(1, -1).split(',').map(BigInt);

/**
 * Writes values as the text of a PostgreSQL array. The SQL must cast this parameter, because our
 * sessions know no array types.
 */
export const arrayOf = (values: readonly (bigint | number | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

/**
 * Reads the ids in the text of a PostgreSQL array. Null means no ids, because an aggregate over no
 * rows is null.
 */
export const idsIn = (array: string | null): bigint[] =>
  array === null ? [] : array.slice(1, -1).split(',').map(BigInt);

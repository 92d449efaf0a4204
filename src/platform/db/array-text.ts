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

/** The parts of an array's text: a quoted element, a brace, or an element without quotes. */
const PARTS = /"((?:[^"\\]|\\.)*)"|[{}]|[^{},"]+/gs;

/**
 * Reads the text of a PostgreSQL array, such as `{1,NULL,"a,b"}`. An array of arrays has arrays as
 * elements. `read` converts the text of each other element.
 */
export function readArray(array: string, read: (element: string) => unknown): unknown[] {
  const open: unknown[][] = [];
  let last: unknown[] = [];
  // The bounds may come first, such as in `[0:1]={a,b}`.
  for (const [part, quoted] of array.slice(array.indexOf('{')).matchAll(PARTS)) {
    if (part === '{') open.push([]);
    else if (part === '}') {
      last = open.pop() ?? [];
      open.at(-1)?.push(last);
    } else if (quoted !== undefined) open.at(-1)?.push(read(quoted.replace(/\\(.)/gs, '$1')));
    else open.at(-1)?.push(part === 'NULL' ? null : read(part));
  }
  return last;
}

/** Writes any values as the text of a PostgreSQL array. Objects become JSON. */
export const writeArray = (values: readonly unknown[]): string =>
  `{${values.map(writeElement).join(',')}}`;

function writeElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return writeArray(value);
  const isPlain = typeof value !== 'object' || value instanceof Date;
  const said = value instanceof Date ? value.toISOString() : String(value);
  return `"${(isPlain ? said : JSON.stringify(value)).replace(/["\\]/g, '\\$&')}"`;
}

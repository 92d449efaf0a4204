const TIME = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Whether a parameter is a time or contains a time. No other run has the same time. */
export const hasTime = (value: unknown): boolean =>
  value instanceof Date || (typeof value === 'string' && value.search(TIME) >= 0);

/** Returns a text without the values that differ in each run. */
export const withoutRun = (text: string): string =>
  text.replace(TIME, '<time>').replace(UUID, '<uuid>');

/** Returns a value of our driver as PostgreSQL writes the value. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the values of a row, in the form that `isSameRow` compares. */
export const cellsOf = (row: unknown): string[] =>
  (Array.isArray(row) ? row : Object.values(row as object)).map(asText);

/** Whether two rows are the same, apart from values that differ in each run. */
export const isSameRow = (ours: readonly string[], theirs: readonly string[]): boolean =>
  ours.length === theirs.length && ours.every((cell, at) => isSame(cell, theirs[at] ?? ''));

const isSame = (ours: string, theirs: string) =>
  normal(ours) === normal(theirs) ||
  normalJson(ours) === normalJson(theirs) ||
  (isArray(ours) && isArray(theirs) && elementsOf(ours) === elementsOf(theirs)) ||
  isSameDuration(ours, theirs);

/** Whether a cell is an array of PostgreSQL, such as `{1,2}`. */
const isArray = (cell: string) => /^\{[\w,]+\}$/.test(cell);

/**
 * Returns the elements of an array in a fixed order, because `array_agg` returns its elements in
 * any order.
 */
const elementsOf = (cell: string) => cell.slice(1, -1).split(',').sort().join();

/**
 * Whether two cells are nearly the same duration. The only numbers with a fraction are durations in
 * seconds, such as the time for which a task was due.
 */
function isSameDuration(ours: string, theirs: string): boolean {
  const both = [ours, theirs];
  if (!both.every((cell) => /^-?\d+(\.\d+)?$/.test(cell))) return false;
  return both.some((cell) => cell.includes('.')) && Math.abs(+ours - +theirs) < MOST_SECONDS;
}

/**
 * The maximum difference of two equal durations. A schedule takes milliseconds, and a jump of the
 * clock is two days.
 */
const MOST_SECONDS = 60;

/**
 * Removes the blanks with which the tester fills each cell, and the values that differ in each run.
 */
const normal = (cell: string) => withoutRun(cell.trim());

/** Returns JSON without blanks. PostgreSQL writes blanks into JSON, and JavaScript writes none. */
function normalJson(cell: string): string {
  if (!/^\s*[{[]/.test(cell)) return normal(cell);
  try {
    return withoutRun(JSON.stringify(JSON.parse(cell)));
  } catch {
    return normal(cell);
  }
}

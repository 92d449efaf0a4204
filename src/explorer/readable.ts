import { databaseError, SQLSTATE } from '../platform/db/sqlstate.ts';
import type { Step } from './step.ts';
import { isRollbackOfTrial, RolledBackByTrial } from './trial.ts';
import { awaitsAdvisoryLock, releasesSessionLock } from './words.ts';

/**
 * The maximum number of values of a row that we show. For a row with more values, we show only the
 * number of rows.
 */
const MOST_VALUES = 4;

/** The maximum length of a statement. We leave out the middle of a longer statement. */
const LONGEST = 600;

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const begin = text.slice(0, LONGEST / 2).replace(/\S*$/, '');
  const end = text.slice(-LONGEST / 4).replace(/^\S*/, '');
  return `${begin}…${end}`;
}

/**
 * Returns the text that stands for a parameter in the statement. A number may arrive as a text, so
 * a text that is a number gets no quotes. Times differ in each run, so we do not show them.
 */
function readableParameter(value: unknown): string {
  if (isTime(value)) return '<time>';
  return typeof value === 'string' && !/^-?\d+$/.test(value)
    ? `'${value.replaceAll("'", "''")}'`
    : String(value);
}

type Sent = Pick<Step, 'text' | 'params'>;

/** Returns the same as `wholeStatement`, but without the middle of a very long statement. */
export const readableStatement = (sent: Sent): string => shorten(wholeStatement(sent));

/**
 * Returns the statement with the values of its parameters. Leaves out Drizzle's quotes and long
 * lists of columns, because quotes and columns do not affect locks.
 */
export const wholeStatement = ({ text, params }: Sent): string =>
  text
    .replace(/"/g, '')
    .replace(/\$(\d+)/g, (name, number) =>
      // A remote program (see `Remote`) may send its parameters after the statement.
      Number(number) > params.length ? name : readableParameter(params[Number(number) - 1]),
    )
    .replace(/\b\w+\.(\w+)\.(\w+)\b/g, hasManyTables(text) ? '$1.$2' : '$2')
    .replace(/\s+/g, ' ')
    .replace(/^select (\w+, ){3,}\w+ from/i, 'select … from')
    .replace(/^(insert into [\w.]+) \((\w+, ){2,}\w+\)/i, '$1 (…)')
    .replace(/ returning (\w+, ){2,}\w+$/i, ' returning …')
    .trim();

/**
 * Returns whether the statement names more than one table. If so, each column needs its table's
 * name.
 */
const hasManyTables = (text: string): boolean =>
  new Set(text.replace(/"/g, '').match(/(?<=\b(from|into|update|join) )\w+\.\w+/gi)).size > 1;

/**
 * Returns the rows in a few words: the values of one small row, or the number of rows. Empty for
 * BEGIN, COMMIT and ROLLBACK.
 */
export function readableRows(rows: unknown[] & { count?: number }, { text }: Step): string {
  if (/^(begin|commit|rollback)/i.test(text)) return '';
  // A write without RETURNING gives no rows, but the driver tells how many rows were written.
  const { length, count } = rows;
  const many = length === 0 && WRITE.test(text) ? (count ?? 0) : length;
  const counted = `${many} ${many === 1 ? 'row' : 'rows'}`;
  // The ids of inserted rows differ in each run, so we do not show them.
  if (rows.length !== 1 || /\binsert\b/i.test(text)) return counted;
  const entries = Object.entries(rows[0] as object);
  if (entries.length === 1 && ANSWERS_OF_LOCK.includes(entries[0]?.[1])) {
    if (awaitsAdvisoryLock(text)) return 'locked';
    if (releasesSessionLock(text)) return 'unlocked';
  }
  if (entries.length > MOST_VALUES) return counted;
  // Drizzle receives rows as arrays, so the column names come from the text of the statement.
  const names = Array.isArray(rows[0]) ? namesOf(text) : entries.map(([name]) => name);
  const shown = entries.map(([, value], index) =>
    isTime(value) ? '' : `${names[index] ?? ''} ${value}`.trim(),
  );
  return shorten(shown.filter((each) => each !== '').join(', ')) || counted;
}

/**
 * PostgreSQL answers an advisory lock with `void`, which is an empty text here. PostgreSQL answers
 * an unlock with `true`. For a remote program (see `Remote`), this `true` is the text `t`.
 */
const ANSWERS_OF_LOCK: unknown[] = ['', true, 't'];

/** Whether the value is a time. Times differ in each run, so we do not show them. */
export const isTime = (value: unknown) =>
  value instanceof Date || (typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]/.test(value));

const WRITE = /^(insert|update|delete|merge|with)\b/i;

/**
 * Returns the names of the columns of a result. A name is empty if the text of the statement does
 * not name the column.
 */
function namesOf(text: string): string[] {
  let outline = text.replace(/"/g, '');
  while (/\([^()]*\)/.test(outline)) outline = outline.replace(/\([^()]*\)/g, '');
  const list =
    /^select (.*?)(?: from |$)/is.exec(outline)?.[1] ?? /returning (.*)$/is.exec(outline)?.[1];
  return (list ?? '').split(',').map((item) => /(\w+)\s*$/.exec(item)?.[1] ?? '');
}

const ERRORS: Record<string, string> = {
  [SQLSTATE.serializationFailure]: 'serialization failure',
  [SQLSTATE.deadlockDetected]: 'deadlock detected',
  [SQLSTATE.uniqueViolation]: 'unique violation',
  [SQLSTATE.foreignKeyViolation]: 'foreign key violation',
  [SQLSTATE.checkViolation]: 'check violation',
  [SQLSTATE.exclusionViolation]: 'exclusion violation',
  [SQLSTATE.lockNotAvailable]: 'lock not available',
  [SQLSTATE.queryCanceled]: 'statement canceled',
  [SQLSTATE.adminShutdown]: 'connection ended by the server',
  CONNECTION_CLOSED: 'connection lost',
};

export function readableError(error: unknown): string {
  // The error may be hidden. Drizzle wraps the error of an autocommit write, and a remote program
  // gets only a code.
  if (isRollbackOfTrial(error)) return `ERROR: ${RolledBackByTrial.name}`;
  const code = databaseError(error)?.code;
  const name = error instanceof Error ? error.name : 'error';
  return `ERROR: ${code === undefined ? name : (ERRORS[code] ?? code)}`;
}

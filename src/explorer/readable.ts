import { databaseError, SQLSTATE } from '../../db/sqlstate.ts';
import type { Step } from './step.ts';
import { isRollbackOfTrial, RolledBackByTrial } from './trial.ts';
import { AWAITED_LOCK, SESSION_UNLOCK } from './words.ts';

/** The most values of a row that is shown with its values. Longer rows are only counted. */
const MOST_VALUES = 4;

/** Longer statements are shown without their middle. */
const LONGEST = 600;

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const begin = text.slice(0, LONGEST / 2).replace(/\S*$/, '');
  const end = text.slice(-LONGEST / 4).replace(/^\S*/, '');
  return `${begin}…${end}`;
}

/** Numbers arrive as text too. Other texts are quoted. Times differ each time, so they are not shown. */
function readableParameter(value: unknown): string {
  if (isTime(value)) return '<time>';
  return typeof value === 'string' && !/^-?\d+$/.test(value) ? `'${value}'` : String(value);
}

type Sent = Pick<Step, 'text' | 'params'>;

/** The statement as `wholeStatement` has it, without its middle if it is very long. */
export const readableStatement = (sent: Sent): string => shorten(wholeStatement(sent));

/**
 * The statement with the values of its parameters. Drizzle's quotes and long lists of columns are
 * left out, since they do not affect locks.
 */
export const wholeStatement = ({ text, params }: Sent): string =>
  text
    .replace(/"/g, '')
    .replace(/\$(\d+)/g, (name, number) =>
      // A program on the wire may send its parameters after the statement.
      Number(number) > params.length ? name : readableParameter(params[Number(number) - 1]),
    )
    .replace(/\b\w+\.(\w+)\.(\w+)\b/g, hasManyTables(text) ? '$1.$2' : '$2')
    .replace(/\s+/g, ' ')
    .replace(/^select (\w+, ){3,}\w+ from/i, 'select … from')
    .replace(/^(insert into [\w.]+) \((\w+, ){2,}\w+\)/i, '$1 (…)')
    .replace(/ returning (\w+, ){2,}\w+$/i, ' returning …')
    .trim();

/** Whether a name without its table could belong to more than one table. */
const hasManyTables = (text: string): boolean =>
  new Set(text.replace(/"/g, '').match(/(?<=\b(from|into|update|join) )\w+\.\w+/gi)).size > 1;

/**
 * The rows in a few words: the values of one small row, or the number of rows. Empty for BEGIN,
 * COMMIT and ROLLBACK.
 */
export function readableRows(rows: unknown[] & { count?: number }, { text }: Step): string {
  if (/^(begin|commit|rollback)/i.test(text)) return '';
  // A write without RETURNING gives no rows, but the driver tells how many rows it wrote.
  const { length, count } = rows;
  const many = length === 0 && WRITE.test(text) ? (count ?? 0) : length;
  const counted = `${many} ${many === 1 ? 'row' : 'rows'}`;
  // The ids of inserted rows differ each time, so they are not shown.
  if (rows.length !== 1 || /\binsert\b/i.test(text)) return counted;
  const entries = Object.entries(rows[0] as object);
  if (entries.length === 1 && ANSWERS_OF_LOCK.includes(entries[0]?.[1])) {
    if (AWAITED_LOCK.test(text)) return 'locked';
    if (SESSION_UNLOCK.test(text)) return 'unlocked';
  }
  if (entries.length > MOST_VALUES) return counted;
  // Drizzle receives rows as arrays, so the column names come from the text of the statement.
  const names = Array.isArray(rows[0]) ? namesOf(text) : entries.map(([name]) => name);
  const shown = entries.map(([, value], index) =>
    isTime(value) ? '' : `${names[index] ?? ''} ${value}`.trim(),
  );
  return shorten(shown.filter((each) => each !== '').join(', ')) || counted;
}

/** An advisory lock has the answer `void`. An unlock has `true`, or `t` from a program on the wire. */
const ANSWERS_OF_LOCK: unknown[] = ['', true, 't'];

/** Times differ each time, so they are not shown. */
export const isTime = (value: unknown) =>
  value instanceof Date || (typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]/.test(value));

const WRITE = /^(insert|update|delete|merge|with)\b/i;

/** The names of the columns that a statement returns. Empty if its text does not contain them. */
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
  [SQLSTATE.adminShutdown]: 'connection ended by the server',
  CONNECTION_CLOSED: 'connection lost',
};

export function readableError(error: unknown): string {
  // Drizzle wraps the error of a lone write, and the wire has only a code.
  if (isRollbackOfTrial(error)) return `ERROR: ${RolledBackByTrial.name}`;
  const code = databaseError(error)?.code;
  const name = error instanceof Error ? error.name : 'error';
  return `ERROR: ${code === undefined ? name : (ERRORS[code] ?? code)}`;
}

import type { Act } from './execution.ts';
import { wholeCodeOf } from './lexer.ts';

export const ENDS = /^(commit|rollback)$/i;

/** A write into a table, such as `update lab_queue.tasks`. */
export interface Write {
  words: string;
  /** The kind of the write, such as `update`. */
  verb: string;
  table: string;
}

/** The COMMIT of a session. `at` is its step, from 0. */
export interface Commit {
  session: number;
  at: number;
  writes: Write[];
  /** The writes that have surely changed rows. */
  sure: Write[];
}

/** Returns the writes of a statement. A statement with WITH may have several writes. */
export function writesIn(text: string): Write[] {
  const found = wholeCodeOf(text).matchAll(WRITE);
  return [...found].map(([words, verb = '', table = '']) => ({
    words: unquoted(words).replace(/\s+/g, ' '),
    verb: verb.split(/\s/, 1)[0]?.toLowerCase() ?? '',
    table: unquoted(table),
  }));
}

/** Neither FOR UPDATE nor DO UPDATE is a write of its own. */
const WRITE =
  /(?<!\b(?:for|key|do)\s+)(?<!")\b(insert into|update|delete from|merge into)\s+((?:"[^"]+"|[a-z_]\w*)(?:\.(?:"[^"]+"|\w+))*)/gi;

export function hasNoRows({ result }: Act): boolean {
  if (!result || !('rows' in result)) return false;
  // A write without RETURNING gives no rows, but the driver tells how many rows were written.
  const { count, length }: unknown[] & { count?: number } = result.rows;
  return (count ?? length) === 0;
}

/**
 * Whether a write has changed a row. A write without RETURNING gives no rows, but the driver tells
 * how many rows were written. For a statement with WITH this number is unknown, so such a statement
 * counts as a write.
 */
export const hasWritten = (text: string, rows: unknown[] & { count?: number }) =>
  /^with\b/i.test(text) || (rows.count ?? rows.length) > 0;

/** Whether the statement reads the table. A table that the statement only writes does not count. */
export const readsTable = (text: string, table: string): boolean =>
  hasWord(wholeCodeOf(text).replace(WRITE, ''), table);

export const namesTable = (text: string, table: string): boolean =>
  hasWord(wholeCodeOf(text), table);

const unquoted = (code: string): string => code.replace(/"/g, '');

const hasWord = (code: string, word: string): boolean =>
  unquoted(code)
    .split(/[^\w.]+/)
    .includes(word);

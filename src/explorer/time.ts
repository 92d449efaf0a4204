import { inProject } from '../platform/process/project.ts';
import { tokensOf } from './lexer.ts';

/** The migrations that create the functions of the explorer's clock. */
export const timeMigrations = inProject('drizzle/lab/time');

/**
 * With this search path, a session calls the explorer's `now()` in place of PostgreSQL's `now()`.
 */
export const LAB_TIME = { search_path: 'lab_time, pg_catalog, public' };

/**
 * Moves the clock two days ahead. In production, every lease and every key lasts less than two
 * days.
 */
export const PASS_TIME = `
  select setval('lab_time.passes', (select last_value + 1 from lab_time.passes)),
    setval('lab_time.passed_at', (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;

/** Does nothing in a database without the explorer's clock. */
export const RESET_TIME = `
  select setval(to_regclass('lab_time.passes'), 0), setval(to_regclass('lab_time.passed_at'), 0)`;

/**
 * Returns an SQL condition for a column with a time. The condition is true if this time was in the
 * future before the last jump of the clock, and is in the past now. A person who plays step by step
 * may take an hour between two steps, so we allow one hour more. As a side effect, the condition is
 * also true if a session wrote the present time into the column less than an hour before the jump.
 */
export const hasRunOut = (column: string) =>
  `(${column} <= lab_time.clock_timestamp()
    and ${column} > lab_time.clock_timestamp() - interval '2 days 1 hour')`;

/** The keywords that read the clock. We do not replace a keyword with a precision. */
const KEYWORDS = ['current_timestamp', 'localtimestamp', 'current_date'];

/**
 * Replaces the keywords that read PostgreSQL's clock by the explorer's clock. A `search_path`
 * replaces only functions, and no keywords. A text of more than 20,000 characters stays unchanged.
 */
export function withLabTime(text: string): string {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== 'comment');
  const clocks = tokens.filter(
    ({ kind, text }, index) =>
      kind === 'keyword' &&
      KEYWORDS.includes(text.toLowerCase()) &&
      tokens[index + 1]?.text !== '(',
  );
  return clocks.reduceRight(
    (changed, { text, at }) =>
      `${changed.slice(0, at)}lab_time."${text.toLowerCase()}"()${changed.slice(at + text.length)}`,
    text,
  );
}

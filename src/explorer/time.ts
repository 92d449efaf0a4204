import { inProject } from '../../process/project.ts';

/** The migrations that make the functions of the lab's time. */
export const timeMigrations = inProject('drizzle/lab/time');

/** With this search path, a session calls the lab's `now()` in place of PostgreSQL's. */
export const LAB_TIME = { search_path: 'lab_time, pg_catalog, public' };

/** Two days pass. Every lease and every key of production ends earlier. */
export const PASS_TIME = `
  select setval('lab_time.passes', (select last_value + 1 from lab_time.passes)),
    setval('lab_time.passed_at', (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;

export const RESET_TIME = `
  select setval('lab_time.passes', 0), setval('lab_time.passed_at', 0)
  from lab_time.passes where last_value > 0`;

/**
 * The condition that the time in a column was still to come before time last passed, and is over now. A
 * person in Play may take an hour between two steps, so we allow one hour more. A time that the session
 * itself set to the present, less than an hour before, counts too.
 */
export const hasRunOut = (column: string) =>
  `(${column} <= lab_time.clock_timestamp()
    and ${column} > lab_time.clock_timestamp() - interval '2 days 1 hour')`;

/** A keyword that reads the clock, outside of quotes and comments. */
const KEYWORD =
  /'(?:[^']|'')*'|"[^"]*"|--.*|\b(current_timestamp|localtimestamp|current_date)\b(?!\s*\()/gi;

/**
 * Puts the lab's clock in place of the keywords that read PostgreSQL's clock. A `search_path` changes
 * functions, but no keywords.
 */
export const withLabTime = (text: string): string =>
  text.replace(KEYWORD, (found, keyword?: string) =>
    keyword ? `lab_time."${keyword.toLowerCase()}"()` : found,
  );

import { inProject } from '../platform/process/project.ts';

/** The migrations that create the functions of the explorer's clock. */
export const timeMigrations = inProject('drizzle/lab/time');

/** The search path with which a session calls the explorer's `now()` in place of PostgreSQL's. */
export const LAB_TIME = { search_path: 'lab_time, pg_catalog, public' };

/** Moves the clock two days ahead. Every lease and every key of production lasts less than that. */
export const PASS_TIME = `
  select setval('lab_time.passes', (select last_value + 1 from lab_time.passes)),
    setval('lab_time.passed_at', (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;

export const RESET_TIME = `
  select setval('lab_time.passes', 0), setval('lab_time.passed_at', 0)
  from lab_time.passes where last_value > 0`;

/**
 * Returns the condition that the time in a column was in the future before time last passed, and is
 * in the past now. A person who plays step by step may take an hour between two steps, so we allow
 * one hour more. So a time counts too if the session set it to the present less than an hour
 * before.
 */
export const hasRunOut = (column: string) =>
  `(${column} <= lab_time.clock_timestamp()
    and ${column} > lab_time.clock_timestamp() - interval '2 days 1 hour')`;

/** A keyword that reads the clock, outside of quotes and comments. */
const KEYWORD =
  /'(?:[^']|'')*'|"[^"]*"|--.*|\b(current_timestamp|localtimestamp|current_date)\b(?!\s*\()/gi;

/**
 * Replaces the keywords that read PostgreSQL's clock by the explorer's clock. A `search_path`
 * replaces only functions, and no keywords.
 */
export const withLabTime = (text: string): string =>
  text.replace(KEYWORD, (found, keyword?: string) =>
    keyword ? `lab_time."${keyword.toLowerCase()}"()` : found,
  );

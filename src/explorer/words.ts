/** Patterns by which the explorer recognizes what a statement does. */

import { bodiesIn, codeOf, isDoBlock, wholeCodeOf } from './lexer.ts';

/**
 * Statements that take neither a snapshot nor a lock. Other sessions do not notice these
 * statements, so they are not steps.
 */
export const PREPARATORY =
  /^(begin|start transaction|set transaction|savepoint|release savepoint)\b[^;]*$/i;

export const isCommit = (text: string): boolean => /^commit\b/i.test(text);

const ADVISORY_LOCK = /\bpg_(try_)?advisory_(xact_)?lock(_shared)?\b/i;
const AWAITED_LOCK = /\bpg_advisory_(xact_)?lock(_shared)?\b/i;
const SESSION_LOCK = /\bpg_(try_)?advisory_lock(_shared)?\b/i;
const SESSION_UNLOCK = /\bpg_advisory_unlock/i;

export const takesAdvisoryLock = (text: string): boolean => ADVISORY_LOCK.test(wholeCodeOf(text));
/** Whether the statement waits if another session has the advisory lock. */
export const awaitsAdvisoryLock = (text: string): boolean => AWAITED_LOCK.test(wholeCodeOf(text));
/** Whether the statement takes an advisory lock that outlives its transaction. */
export const takesSessionLock = (text: string): boolean => SESSION_LOCK.test(wholeCodeOf(text));
export const releasesSessionLock = (text: string): boolean =>
  SESSION_UNLOCK.test(wholeCodeOf(text));

const CONTROL = /;\s*(begin|start|commit|end|rollback|abort)\b/i;
/**
 * A statement that ends a transaction inside a DO block. BEGIN and END of the block are only
 * brackets.
 */
const CONTROL_IN_BLOCK = /\b(commit|rollback)\s*(;|and\b)/i;

/**
 * Whether a text itself begins or ends a transaction. Such a text cannot run inside another
 * transaction.
 */
export const hasControl = (text: string): boolean =>
  CONTROL.test(codeOf(text)) || (isDoBlock(codeOf(text)) && bodiesIn(text).some(hasControlInBlock));

const hasControlInBlock = (body: string): boolean => CONTROL_IN_BLOCK.test(codeOf(body));

/** A name in quotes is no word of SQL. */
const CHANGES_ROWS = /(?<!")\b(insert|update|delete|merge|share)\b/i;
/** Changes of the schema, except those that PostgreSQL refuses in a transaction. */
const CHANGES_SCHEMA =
  /^(create|alter|drop|truncate)\b(?!.*\b(concurrently|database|tablespace|system|subscription)\b)/is;
const COPIES_IN = /^copy\s+[^(\s][^(]*(\([^)]*\)\s*)?\bfrom\b/i;

/**
 * The words of a DO block do not tell what its functions write, so each DO block counts as a write.
 */
export const isWrite = (text: string): boolean =>
  isDoBlock(codeOf(text)) ||
  [CHANGES_ROWS, CHANGES_SCHEMA, COPIES_IN].some((each) => each.test(codeOf(text)));

const CLOCK =
  /\b(now|(clock|statement|transaction|current)_timestamp|localtimestamp|current_date)\b/i;

export const namesClock = (text: string): boolean => CLOCK.test(wholeCodeOf(text));

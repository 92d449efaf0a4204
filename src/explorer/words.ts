/** Patterns by which the explorer recognizes what a statement does. */

/**
 * Statements that take neither a snapshot nor a lock. Other sessions do not notice these
 * statements, so they are not steps.
 */
export const PREPARATORY =
  /^(begin|start transaction|set transaction|savepoint|release savepoint)\b[^;]*$/i;

export const ADVISORY_LOCK = /\bpg_(try_)?advisory_(xact_)?lock(_shared)?\b/i;
/** An advisory lock for which the session waits. */
export const AWAITED_LOCK = /\bpg_advisory_(xact_)?lock(_shared)?\b/i;
export const SESSION_LOCK = /\bpg_(try_)?advisory_lock(_shared)?\b/i;
export const SESSION_UNLOCK = /\bpg_advisory_unlock/i;

const COMMENTS_AND_STRINGS = /--[^\n]*|\/\*.*?\*\/|'[^']*'/gs;
/** The body of a function or of a DO block. */
const BODIES = /\$([a-z_]\w*)?\$.*?\$\1\$/gis;
const CONTROL = /;\s*(begin|start|commit|end|rollback|abort)\b/i;
/**
 * A statement that ends a transaction inside a DO block. BEGIN and END of the block are only
 * brackets.
 */
const CONTROL_IN_BLOCK = /\b(commit|rollback)\s*(;|and\b)/i;
/** Comments may stand before a DO block. */
const isDoBlock = (text: string): boolean => /^(\s|--[^\n]*\n|\/\*.*?\*\/)*do\b/is.test(text);

/**
 * Whether a text itself begins or ends a transaction. Such a text cannot run inside another
 * transaction.
 */
export function hasControl(text: string): boolean {
  const code = text.replace(COMMENTS_AND_STRINGS, '');
  if (isDoBlock(text) && CONTROL_IN_BLOCK.test(code)) return true;
  return CONTROL.test(code.replace(BODIES, ''));
}

const CHANGES_ROWS = /\b(insert|update|delete|merge|share)\b/i;
/** Changes of the schema, except those that PostgreSQL refuses in a transaction. */
const CHANGES_SCHEMA =
  /^(create|alter|drop|truncate)\b(?!.*\b(concurrently|database|tablespace|system|subscription)\b)/is;
const COPIES_IN = /^copy\s+[^(\s][^(]*(\([^)]*\)\s*)?\bfrom\b/i;

/**
 * The words of a DO block do not tell what its functions write, so each DO block counts as a write.
 */
export const isWrite = (text: string): boolean =>
  isDoBlock(text) || [CHANGES_ROWS, CHANGES_SCHEMA, COPIES_IN].some((each) => each.test(text));

const CLOCK =
  /\b(now|(clock|statement|transaction|current)_timestamp|localtimestamp|current_date)\b/i;

export const namesClock = (text: string): boolean => CLOCK.test(text);

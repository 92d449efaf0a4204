/** What a gate reads in the words of a statement. */

/**
 * Statements that take neither a snapshot nor a lock. Their order does not matter, so they are no
 * steps.
 */
export const PREPARATORY =
  /^(begin|start transaction|set transaction|savepoint|release savepoint)\b[^;]*$/i;

export const SESSION_LOCK = /\bpg_(try_)?advisory_lock(_shared)?\b/i;
export const SESSION_UNLOCK = /\bpg_advisory_unlock/i;

/** A text that begins or ends a transaction within itself. No transaction can surround this text. */
export const HAS_CONTROL = /;\s*(begin|start|commit|end|rollback|abort)\b/i;

const CHANGES_ROWS = /\b(insert|update|delete|merge|share)\b/i;
/** Changes of the schema, without those that PostgreSQL refuses in a transaction. */
const CHANGES_SCHEMA =
  /^(create|alter|drop|truncate)\b(?!.*\b(concurrently|database|tablespace|system|subscription)\b)/is;
const COPIES_IN = /^copy\s+[^(\s][^(]*(\([^)]*\)\s*)?\bfrom\b/i;

export const isWrite = (text: string): boolean =>
  CHANGES_ROWS.test(text) || CHANGES_SCHEMA.test(text) || COPIES_IN.test(text);

const CLOCK =
  /\b(now|(clock|statement|transaction|current)_timestamp|localtimestamp|current_date)\b/i;

export const namesClock = (text: string): boolean => CLOCK.test(text);

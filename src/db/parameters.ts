/** Catches what the lock timeout does not: a statement that waits for anything else. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * What the lock counts on, whatever the server, the database or the role has for its default: under
 * another level than this a claimer does not see what was committed while it waited for the lock.
 */
export const LOCK_PARAMETERS = { default_transaction_isolation: 'read committed' };

/**
 * Settings of the server for each session of a pool. They are part of connecting, so they cost no
 * statement, hold for statements outside of transactions too, and come before any other default.
 */
export const SESSION_PARAMETERS = {
  ...LOCK_PARAMETERS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
};

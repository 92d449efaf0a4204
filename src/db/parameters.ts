/** Catches what the lock timeout does not: a statement that waits for anything else. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * How long an answer to a statement is waited for: past any statement, and past connecting before
 * one. A server that is there answers sooner, if only that it gave the statement up.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

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
  // How times come back as text. Only of this style the same instant is made of them again.
  DateStyle: 'ISO',
  // A server of ours that froze, or was cut off, must not keep the lock of a job from the others. One
  // that lives says its next statement within milliseconds; an ended session is never used again.
  idle_in_transaction_session_timeout: 10_000,
  // The same where its machine is gone: seconds without a word, seconds between asking, and how often.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** Catches what the lock timeout does not: a statement that waits for anything else. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * How long an answer to a statement is waited for: past any statement. A server that is there answers
 * sooner, if only that it gave the statement up.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/**
 * How every transaction begins. Under another level a claimer does not see the claims that were
 * committed while it waited for the lock, so the lock would not hold. The transaction states its level
 * itself: a pooler may drop a setting of the connection, and then the default of the database counts.
 * The level is part of BEGIN, so it costs no statement.
 */
export const BEGIN = 'begin isolation level read committed';

/** The level of BEGIN, for statements outside of transactions too. */
export const READ_COMMITTED = { default_transaction_isolation: 'read committed' };

/** Settings of the server for each session of a pool. The session makes them when it begins. */
export const SESSION_PARAMETERS = {
  ...READ_COMMITTED,
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

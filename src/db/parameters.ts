/** Bounds every statement. The lock timeout bounds only the wait for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * How long to wait for the answer to a statement. This is longer than any statement may take: a
 * living server answers sooner, if only to say that it cancelled the statement.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/**
 * Every transaction begins with this statement. Under another isolation level a claimer does not
 * see the claims that were committed while it waited for the lock, so the lock would not hold. The
 * transaction states its level itself. A pooler may drop a setting of the connection, and then the
 * database's default would apply. The level is part of BEGIN, so it costs no statement.
 */
export const BEGIN = 'begin isolation level read committed';

/** The same isolation level for statements outside of transactions. */
export const READ_COMMITTED = { default_transaction_isolation: 'read committed' };

/** Server settings for each session of a pool. `makeReady` applies them when the session begins. */
export const SESSION_PARAMETERS = {
  ...READ_COMMITTED,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // The style of times as text. Only ISO text is read back as the same instant.
  DateStyle: 'ISO',
  // If one of our servers freezes or is cut off, it must not keep a job's lock from the others. A
  // living server sends its next statement within milliseconds. An ended session is never used
  // again.
  idle_in_transaction_session_timeout: 10_000,
  // The same for a machine that is gone: seconds of silence, seconds between probes, number of
  // probes.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

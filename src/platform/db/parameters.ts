/** How long a statement may take. The lock timeout limits only the wait for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * How long to wait for the answer to a statement. A living server answers sooner, because it
 * cancels each statement that takes too long and reports this.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/**
 * Every transaction begins with this statement. A claim waits for the lock of its job. With
 * REPEATABLE READ the transaction would not see the claims that were committed during the wait, and
 * the job could get too many claims. We do not rely on the level of the connection, because a
 * pooler may drop this setting. BEGIN includes the level, so the level needs no statement of its
 * own.
 */
export const BEGIN = 'begin isolation level read committed';

/** The same isolation level for statements outside of transactions. */
export const READ_COMMITTED = { default_transaction_isolation: 'read committed' };

/** Server settings that protect each transaction. */
const TRANSACTION_PARAMETERS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // PostgreSQL writes times as text in this style. Only ISO text can be parsed back to the original time.
  DateStyle: 'ISO',
  // A Rowlock server may freeze or lose its network while it holds the lock of a job. PostgreSQL
  // then ends the session, so other servers can get the lock. A living server sends its next
  // statement within milliseconds. An ended session is never used again.
  idle_in_transaction_session_timeout: 10_000,
};

export type Parameters = Record<string, string | number>;

export const transactionParameters = (lockTimeoutMs: number): Parameters => ({
  ...TRANSACTION_PARAMETERS,
  lock_timeout: lockTimeoutMs,
});

/** Server settings for each session of a pool. `makeReady` applies them when the session begins. */
export const sessionParameters = (lockTimeoutMs: number): Parameters => ({
  ...READ_COMMITTED,
  ...transactionParameters(lockTimeoutMs),
  // PostgreSQL also ends the session if our machine is gone. The values are the seconds of silence
  // before the first probe, the seconds between probes, and the number of probes.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
});

/**
 * A BEGIN that makes the settings for its transaction alone. Behind a pooler in transaction mode, a
 * setting of the session would be lost for us, and other clients of the pooler would get it.
 * `set local` takes no snapshot, so the transaction can still change its isolation level. All
 * statements together take one round trip.
 */
export const beginWith = (parameters: Parameters): string =>
  [
    BEGIN,
    ...Object.entries(parameters).map(([name, value]) => `set local ${name} = '${value}'`),
  ].join('; ');

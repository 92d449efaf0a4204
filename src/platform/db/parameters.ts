/** The maximum time of a statement. The lock timeout limits only the wait for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * The maximum wait for the answer to a statement. A living server answers sooner, because the
 * server cancels each statement that takes too long, and reports an error.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/**
 * Every transaction begins with this statement. A transaction may wait for a lock. With REPEATABLE
 * READ, the transaction would not see the changes that were committed during the wait, and could
 * decide by old data. We do not rely on the isolation level of the connection, because a pooler may
 * drop this setting. BEGIN includes the level, so the level needs no statement of its own.
 */
export const BEGIN = 'begin isolation level read committed';

/** The same isolation level for statements outside of transactions. */
export const READ_COMMITTED = { default_transaction_isolation: 'read committed' };

/**
 * PostgreSQL compiles a plan (JIT) if it expects a high cost. Our statements read few rows. But
 * without statistics, PostgreSQL expects a high cost for some of these statements. Compiling a
 * statement takes 10 to 400 ms, so we turn compilation off.
 */
export const NOT_COMPILED = { jit: 'off' };

/** Server settings that protect each transaction. */
const TRANSACTION_PARAMETERS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // PostgreSQL writes times as text in this style. Only ISO text can be parsed back to the original
  // time.
  DateStyle: 'ISO',
  // A Rowlock server may freeze or lose its network while it holds a lock. PostgreSQL then ends the
  // session, so other servers can get the lock. A living server sends its next statement within
  // milliseconds. An ended session is never used again.
  idle_in_transaction_session_timeout: 10_000,
  ...NOT_COMPILED,
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
 * Returns a BEGIN that makes the settings for its transaction alone. Behind a pooler in transaction
 * mode, we would lose a setting of the session, and other clients of the pooler would get this
 * setting. `set local` takes no snapshot, so the transaction can still change its isolation level.
 * All statements together take one round trip.
 */
export const beginWith = (parameters: Parameters): string =>
  [
    BEGIN,
    ...Object.entries(parameters).map(([name, value]) => `set local ${name} = '${value}'`),
  ].join('; ');

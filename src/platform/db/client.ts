import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import {
  ANSWER_TIMEOUT_MS,
  beginWith,
  type Parameters as Settings,
  sessionParameters,
  transactionParameters,
} from './parameters.ts';
import { createPool, type Pool } from './pool.ts';
import { makeReady } from './ready.ts';
import { type Codecs, openSession, type Session } from './session.ts';
import { isConnectionLost, nothingRan } from './sqlstate.ts';
import {
  EndedBefore,
  type Ending,
  inTransaction,
  isRead,
  type Runner,
  statementsOn,
  type TransactionClient,
} from './transaction.ts';

export type Database = PostgresJsDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

/**
 * Sends COMMIT together with the last statements of this transaction, without waiting for their
 * answers. This saves a round trip. `statements` is the number of statements that still come. If one
 * of them fails, the transaction is rolled back. If the connection is lost, the outcome is unknown.
 *
 * These statements must do nothing outside of their transaction. postgres.js sends a prepared
 * statement again if PostgreSQL does not know it or must plan it anew, and the second time is after
 * COMMIT.
 *
 * The call has no effect inside of another transaction. Behind a pooler in transaction mode, it has
 * an effect only for a lone read.
 */
export function commitWithNext(tx: Transaction, statements = 1): void {
  // Drizzle hands the client of `begin` to the session of its transaction.
  const { client } = (tx._ as unknown as { session: { client: TransactionClient } }).session;
  client.commitWithNext(statements);
}

export interface DatabaseConnection {
  db: Database;
  /**
   * The same database for urgent work. Urgent work gets a session before all waiting users of `db`.
   */
  first: Database;
  load: Pool['load'];
  /**
   * Closes all connections. Running statements and transactions have a few seconds to end. New work
   * is refused.
   */
  close(): Promise<void>;
}

/** Ten connections keep a small PostgreSQL busy. By default PostgreSQL accepts 100 connections. */
export const POOL_SIZE = 10;
/**
 * The maximum wait of a statement for a lock. A transaction takes only milliseconds. After a wait
 * of two seconds, the client should rather send the request again.
 */
export const LOCK_TIMEOUT_MS = 2_000;
/**
 * The maximum number of callers that wait for a connection. Further callers must try again later.
 */
const LONGEST_LINE = 1_000;
const CLOSE_PATIENCE_S = 5;

/** The time from sending a statement to its answer or error. */
export interface StatementTime {
  text: string;
  seconds: number;
}

/**
 * The mode of a pooler. In transaction mode, a pooler may give each transaction a different session
 * of the server. Then no statement may be prepared, and each transaction makes its own settings.
 * Undefined means that each connection has a session of its own.
 */
export type Pooler = 'transaction' | undefined;

export interface ConnectOptions {
  pooler?: Pooler;
  connections?: number;
  lockTimeoutMs?: number | undefined;
  /**
   * Further settings for each session. These settings are not used behind a pooler in transaction
   * mode.
   */
  settings?: Settings;
  /** The maximum wait for the answer to a statement. After this time, the connection is closed. */
  answerTimeoutMs?: number | undefined;
  open?: typeof openSession | undefined;
  /** Called after each statement. The statement's text holds no values. */
  observe?: (statement: StatementTime) => void;
}

/**
 * Makes a pool of connections to the database at `url`. Each connection is opened when it is first
 * needed.
 */
export function connect(
  url: string,
  {
    pooler,
    connections = POOL_SIZE,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    settings = {},
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
    open = openSession,
    observe = () => undefined,
  }: ConnectOptions = {},
): DatabaseConnection {
  const shared = pooler === 'transaction';
  const parameters = shared ? {} : { ...sessionParameters(lockTimeoutMs), ...settings };
  const begin = shared ? beginWith(transactionParameters(lockTimeoutMs)) : undefined;
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const limits = { size: connections, line: LONGEST_LINE, waitMs: LOCK_TIMEOUT_MS };
  const pool = createPool(limits, async () =>
    observed(
      await makeReady(open({ url, prepare: !shared, answerTimeoutMs }, codecs), parameters),
      observe,
    ),
  );
  return {
    db: databaseOver(pool, codecs, begin),
    first: databaseOver({ lend: pool.lendFirst }, codecs, begin),
    load: pool.load,
    close: () => pool.close(CLOSE_PATIENCE_S),
  };
}

function observed(session: Session, observe: (statement: StatementTime) => void): Session {
  const run: Session['run'] = async (statement) => {
    const began = performance.now();
    try {
      return await session.run(statement);
    } finally {
      observe({ text: statement.text, seconds: (performance.now() - began) / 1000 });
    }
  };
  return { ...session, run };
}

/**
 * Makes a Drizzle database that uses our own sessions. Drizzle calls only a few functions of
 * postgres.js, and `client` has only these functions. Drizzle writes its conversions into `codecs`,
 * so the sessions must be opened with the same `codecs` object.
 *
 * If `ownBegin` is given, each transaction begins with this text. A statement outside of a
 * transaction gets a transaction of its own, because it needs the settings in `ownBegin` too.
 */
export function databaseOver(
  sessions: Pick<Pool, 'lend'>,
  codecs: Codecs,
  ownBegin?: string,
): Database {
  async function begin<T>(work: (client: TransactionClient) => Promise<T>, ending?: Ending) {
    const run = () => sessions.lend((session) => inTransaction(session, work, ownBegin, ending));
    try {
      return await run();
    } catch (error) {
      // The transaction has written nothing. Run the work once more, on another session.
      if (error instanceof EndedBefore) return run();
      throw error;
    }
  }
  const runAlone: Runner = (run, text) => {
    if (ownBegin === undefined) return sessions.lend(run);
    if (!isRead(text)) return begin((client) => client.run(run, text));
    return begin((client) => {
      client.commitWithNext();
      return client.run(run, text);
    }, 'end');
  };
  const client = {
    options: codecs,
    begin,
    unsafe: statementsOn(async (run, text) => {
      try {
        return await runAlone(run, text);
      } catch (error) {
        // A read changes nothing, so the caller may repeat the read even if it has run.
        throw isRead(text) && isConnectionLost(error) ? nothingRan(error) : error;
      }
    }),
  };
  return drizzle(client as unknown as postgres.Sql);
}

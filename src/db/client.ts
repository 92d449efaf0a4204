import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { ANSWER_TIMEOUT_MS, SESSION_PARAMETERS } from './parameters.ts';
import { createPool, type Pool } from './pool.ts';
import { makeReady } from './ready.ts';
import { type Codecs, openSession, type Session } from './session.ts';
import { isConnectionLost, nothingRan } from './sqlstate.ts';
import {
  EndedBefore,
  inTransaction,
  isRead,
  statementsOn,
  type TransactionClient,
} from './transaction.ts';

export type Database = PostgresJsDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

export interface Connection {
  db: Database;
  /**
   * The same database, with precedence: its users get a session before all waiting users of `db`.
   */
  first: Database;
  load: Pool['load'];
  /** Ends the connections. Running statements get a few seconds, and no new statement begins. */
  close(): Promise<void>;
}

/** Enough to keep a small PostgreSQL busy, and far below its default of 100 connections. */
export const POOL_SIZE = 10;
/**
 * A claim takes milliseconds. A caller who waits longer for a row lock does better to try again.
 */
export const LOCK_TIMEOUT_MS = 2_000;
/** How many may wait for a connection. Further callers are told at once to try again later. */
const LONGEST_LINE = 1_000;
const CLOSE_PATIENCE_S = 5;

/** How long the database took for a statement, from sending to the answer or error. */
export interface StatementTime {
  text: string;
  seconds: number;
}

export interface ConnectOptions {
  connections?: number;
  lockTimeoutMs?: number | undefined;
  /** How long to wait for the answer to a statement before giving up its connection. */
  answerTimeoutMs?: number | undefined;
  /** Whether to prepare statements, which saves a round trip each. A plain driver does not. */
  prepare?: boolean;
  open?: typeof openSession | undefined;
  /** Called after each statement. The statement's text holds no values. */
  observe?: (statement: StatementTime) => void;
}

/** A pool of connections to the database at `url`. Connections are opened when first needed. */
export function connect(
  url: string,
  {
    connections = POOL_SIZE,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
    prepare = true,
    open = openSession,
    observe = () => undefined,
  }: ConnectOptions = {},
): Connection {
  const parameters = { ...SESSION_PARAMETERS, lock_timeout: lockTimeoutMs };
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const limits = { size: connections, line: LONGEST_LINE, waitMs: LOCK_TIMEOUT_MS };
  const pool = createPool(limits, async () =>
    observed(await makeReady(open({ url, prepare, answerTimeoutMs }, codecs), parameters), observe),
  );
  return {
    db: databaseOver(pool, codecs),
    first: databaseOver({ lend: pool.lendFirst }, codecs),
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
 * Drizzle over sessions of our own. This client has only the parts of postgres.js that Drizzle
 * calls. Drizzle writes into `codecs`, so the sessions must be opened with the same object.
 */
export function databaseOver(sessions: Pick<Pool, 'lend'>, codecs: Codecs): Database {
  const client = {
    options: codecs,
    unsafe: statementsOn(async (run, text) => {
      try {
        return await sessions.lend(run);
      } catch (error) {
        // A read changes nothing, so it is safe to repeat even if it has run.
        throw isRead(text) && isConnectionLost(error) ? nothingRan(error) : error;
      }
    }),
    async begin<T>(work: (client: TransactionClient) => Promise<T>) {
      const run = () => sessions.lend((session) => inTransaction(session, work));
      try {
        return await run();
      } catch (error) {
        // The session died and we had not been told yet. Take the next one.
        if (error instanceof EndedBefore) return run();
        throw error;
      }
    },
  };
  return drizzle(client as unknown as postgres.Sql);
}

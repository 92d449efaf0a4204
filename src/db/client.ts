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
  /** The same database. Its users get a session before all users of `db` who wait for one. */
  first: Database;
  load: Pool['load'];
  /** Ends the connections; what still runs gets a few seconds, and nothing new is begun. */
  close(): Promise<void>;
}

/** Enough to keep a small PostgreSQL busy, and far below its default of 100 connections. */
export const POOL_SIZE = 10;
/** A claim takes milliseconds: who waits longer than this for a row lock had better ask again. */
export const LOCK_TIMEOUT_MS = 2_000;
/** Past this, who asks for a connection is told at once to come again. */
const LONGEST_LINE = 1_000;
const CLOSE_PATIENCE_S = 5;

/** How long the database took for a statement, from sending it to its answer or error. */
export interface StatementTime {
  text: string;
  seconds: number;
}

export interface ConnectOptions {
  connections?: number;
  lockTimeoutMs?: number | undefined;
  /** How long an answer to a statement is waited for, before its connection is given up. */
  answerTimeoutMs?: number | undefined;
  /** Prepare statements, which saves a round trip each. False: as a plain driver does. */
  prepare?: boolean;
  open?: typeof openSession | undefined;
  /** Is told of each statement; its text holds no values. */
  observe?: (statement: StatementTime) => void;
}

/** A pool of connections to the database at `url`; they are opened when first needed. */
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
 * Drizzle over sessions of our own: the parts of postgres.js that it calls, and no others.
 * Drizzle writes into `codecs`, so sessions have to be opened with the same object.
 */
export function databaseOver(sessions: Pick<Pool, 'lend'>, codecs: Codecs): Database {
  const client = {
    options: codecs,
    unsafe: statementsOn(async (run, text) => {
      try {
        return await sessions.lend(run);
      } catch (error) {
        // A read changes nothing, whether it ran or not.
        throw isRead(text) && isConnectionLost(error) ? nothingRan(error) : error;
      }
    }),
    async begin<T>(work: (client: TransactionClient) => Promise<T>) {
      const run = () => sessions.lend((session) => inTransaction(session, work));
      try {
        return await run();
      } catch (error) {
        // It was lent a session whose end had not been heard of yet: the next one will do.
        if (error instanceof EndedBefore) return run();
        throw error;
      }
    },
  };
  return drizzle(client as unknown as postgres.Sql);
}

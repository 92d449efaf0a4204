import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { ANSWER_TIMEOUT_MS, BEGIN, SESSION_PARAMETERS } from './parameters.ts';
import { createPool, type Pool } from './pool.ts';
import { makeReady } from './ready.ts';
import { type Codecs, openSession, type Rows, type Session } from './session.ts';
import { databaseError, isConnectionLost, NO_ANSWER, NOTHING_RAN, nothingRan } from './sqlstate.ts';

export type Database = PostgresJsDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

export interface Connection {
  db: Database;
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

interface TransactionClient {
  unsafe: ReturnType<typeof statementsOn>;
  savepoint<T>(work: (client: TransactionClient) => Promise<T>): Promise<T>;
}

/**
 * BEGIN, the work, COMMIT; after any error ROLLBACK, unless the connection took care of that. A
 * connection that is lost before COMMIT was sent is an error with the code NOTHING_RAN: the server
 * undoes the transaction.
 */
async function inTransaction<T>(
  session: Session,
  work: (client: TransactionClient) => Promise<T>,
): Promise<T> {
  let isOpen = true;
  let isCommitting = false;
  const begun = begin(session);
  // Heard of below, whatever becomes of the work meanwhile.
  begun.catch(() => undefined);
  const unsafe = statementsOn(async (run, text) => {
    if (!isOpen) throw new Error('a statement came after the end of its transaction');
    // A read is sent along with BEGIN, which saves a round trip: without BEGIN it does no harm.
    if (!isRead(text)) await begun;
    return run(session);
  });
  try {
    const result = await work(transactionClient(session, unsafe, 1));
    isOpen = false;
    await begun;
    isCommitting = true;
    // A transaction in which a statement failed answers COMMIT with ROLLBACK, and no error.
    if ((await command(session, 'commit')) !== 'COMMIT')
      throw new Error('the transaction was rolled back, since a statement in it had failed');
    return result;
  } catch (error) {
    isOpen = false;
    await begun;
    // In a session that could not be rolled back (its ROLLBACK may be cancelled) no other begins.
    if (session.isAlive()) await command(session, 'rollback').catch(() => session.close(0));
    throw !isCommitting && isConnectionLost(error) ? nothingRan(error) : error;
  }
}

const isRead = (text: string) => /^\s*select\b/i.test(text);

async function begin(session: Session) {
  try {
    await command(session, BEGIN);
  } catch (error) {
    // Of a server that is silent a second session would hear no more than the first.
    if (databaseError(error)?.code === NO_ANSWER) throw nothingRan(error);
    throw isConnectionLost(error) ? new EndedBefore(error) : error;
  }
}

/** The session had ended before BEGIN, so nothing was run. */
class EndedBefore extends Error {
  readonly code = NOTHING_RAN;

  constructor(cause: unknown) {
    super('the session had ended before its transaction began', { cause });
  }
}

function transactionClient(
  session: Session,
  unsafe: TransactionClient['unsafe'],
  depth: number,
): TransactionClient {
  return {
    unsafe,
    async savepoint(work) {
      const name = `s${depth}`;
      await command(session, `savepoint ${name}`);
      try {
        return await work(transactionClient(session, unsafe, depth + 1));
      } catch (error) {
        await command(session, `rollback to savepoint ${name}`);
        throw error;
      }
    },
  };
}

const command = async (session: Session, text: string) =>
  (await session.run({ text, params: [], asArrays: false })).command;

/** postgres.js's `unsafe`: a query that is sent when it is awaited, or asked for `values`. */
function statementsOn(
  on: (run: (session: Session) => Promise<Rows>, text: string) => Promise<Rows>,
) {
  return (text: string, params: unknown[] = []) => {
    const send = async (asArrays: boolean) =>
      on((session) => session.run({ text, params, asArrays }), text);
    return {
      // biome-ignore lint/suspicious/noThenProperty: a lazy query is a thenable, as Drizzle expects.
      then: <A, B>(done?: (rows: Rows) => A, failed?: (error: unknown) => B) =>
        send(false).then(done, failed),
      values: () => send(true),
    };
  };
}

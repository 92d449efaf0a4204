import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

export type Database = PostgresJsDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

export interface Connection {
  db: Database;
  /** Ends the connections; transactions that still run get this many seconds. */
  close(): Promise<void>;
}

/** Enough to keep a small PostgreSQL busy, and far below its default of 100 connections. */
export const POOL_SIZE = 10;
/** A claim takes milliseconds: who waits longer than this for a row lock had better ask again. */
export const LOCK_TIMEOUT_MS = 2_000;
/** Catches what the lock timeout does not: a statement that waits for anything else. */
const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_S = 3;
const CLOSE_TIMEOUT_S = 5;

/** A pool of connections to the database at `url`; they are opened when first needed. */
export function connect(
  url: string,
  { connections = POOL_SIZE, lockTimeoutMs = LOCK_TIMEOUT_MS } = {},
): Connection {
  const client = postgres(url, {
    max: connections,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => undefined,
    connection: {
      application_name: 'rowlock',
      lock_timeout: lockTimeoutMs,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    },
  });
  return { db: drizzle(client), close: () => client.end({ timeout: CLOSE_TIMEOUT_S }) };
}

import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { startEmbedded } from './embedded.ts';
import { unusable } from './migrate.ts';
import { oneConnection } from './one-connection.ts';

/** A database, with its server if need be, that is thrown away after use. */
export interface Scratch {
  url: string;
  stop(): Promise<void>;
}

const PREFIX = 'rowlock_scratch_';
const FORGOTTEN_AFTER_MS = 60 * 60 * 1000;

/**
 * An empty database for a demo or a test run: on an embedded PostgreSQL, or a new one on the server
 * at `databaseUrl`, whose own data is never touched. `stop` also drops the databases whose names
 * begin with this one's.
 */
export async function openScratch(
  databaseUrl: string | undefined,
  stop?: AbortSignal,
  start: (stop?: AbortSignal) => Promise<Scratch> = (signal) => startEmbedded(undefined, signal),
): Promise<Scratch> {
  if (databaseUrl === undefined) return start(stop);
  const name = `${PREFIX}${Date.now()}_${randomBytes(4).toString('hex')}`;
  await onServer(databaseUrl, async (sql) => {
    await dropForgotten(sql);
    await sql`CREATE DATABASE ${sql(name)}`;
  });
  const url = new URL(databaseUrl);
  url.pathname = name;
  return {
    url: url.href,
    stop: () => onServer(databaseUrl, (sql) => dropAll(sql, `${name}%`)),
  };
}

async function onServer(url: string, work: (sql: postgres.Sql) => Promise<void>) {
  const sql = oneConnection(url, {});
  try {
    await work(sql);
  } catch (error) {
    throw unusable(url, error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function dropAll(sql: postgres.Sql, pattern: string) {
  const rows = await sql<{ datname: string }[]>`
    SELECT datname FROM pg_database WHERE datname LIKE ${pattern}`;
  for (const { datname } of rows) await sql`DROP DATABASE IF EXISTS ${sql(datname)} WITH (FORCE)`;
}

/** A run that was killed on somebody's server leaves its database; the next run finds it. */
async function dropForgotten(sql: postgres.Sql) {
  const rows = await sql<{ datname: string }[]>`
    SELECT datname FROM pg_database WHERE datname LIKE ${`${PREFIX}%`}
    AND datname NOT IN (SELECT datname FROM pg_stat_activity WHERE datname IS NOT NULL)`;
  for (const { datname } of rows) {
    const madeAt = Number(datname.slice(PREFIX.length).split('_')[0]);
    if (Date.now() - madeAt > FORGOTTEN_AFTER_MS)
      await sql`DROP DATABASE IF EXISTS ${sql(datname)}`;
  }
}

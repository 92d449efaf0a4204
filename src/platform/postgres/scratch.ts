import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { changed, databaseIn } from '../db/hosts.ts';
import { oneConnection } from '../db/one-connection.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { SQLSTATE } from '../db/sqlstate.ts';
import { databaseName, unusable } from '../db/unusable.ts';
import { startEmbedded } from './embedded.ts';

/**
 * A database that is removed after use. If we started a server for the database, the server is
 * removed too.
 */
export interface Scratch {
  url: string;
  stop(): Promise<void>;
}

/**
 * A prefix of database names. The owner of such a database keeps a session open. The application
 * name of this session is the name of the database. A database without such a session is a
 * leftover. PostgreSQL shows application names to every account.
 */
const OWNED = 'rowlock_scratch_owned_';
/**
 * A prefix of database names behind a pooler, where we cannot see the sessions of owners. These
 * names contain the time at which the database was made.
 */
const TIMED = 'rowlock_scratch_';
const TIMED_LIVE_MS = 60 * 60 * 1000;

/** The maximum time for leftovers in one `openScratch`. The next `openScratch` drops the rest. */
const SWEEP_MS = 10_000;

/**
 * The pause before a lost session of the owner is opened again. The pause is short, because other
 * processes may drop the database while this session is missing.
 */
const REOPEN_MS = 200;

/**
 * Opens an empty database for a demo or a test run. Without `databaseUrl`, the database is on an
 * embedded PostgreSQL. With `databaseUrl`, the database is a new database on that server. We also
 * drop leftovers on that server, and change no other data of the server. `stop` of the result drops
 * all databases whose names begin with this database's name.
 */
export async function openScratch(
  databaseUrl: string | undefined,
  stop?: AbortSignal,
  start: (stop?: AbortSignal) => Promise<Scratch> = (signal) => startEmbedded(undefined, signal),
): Promise<Scratch> {
  if (databaseUrl === undefined) return start(stop);
  const owner = await openOwner(databaseUrl);
  const url = changed(databaseUrl, (each) => {
    each.pathname = owner.name;
  });
  try {
    await dropLeftovers(databaseUrl, stop).catch(() => undefined);
    await onServer(databaseUrl, (sql) => sql`CREATE DATABASE ${sql(owner.name)}`);
  } catch (error) {
    await owner.leave();
    throw error;
  }
  return {
    url,
    async stop() {
      try {
        await dropAll(databaseUrl, owner.name);
      } finally {
        await owner.leave();
      }
    },
  };
}

/**
 * Makes another database on the server of a scratch database, and returns its address. The name
 * begins with the name of the scratch database, so both databases are dropped together.
 *
 * `openScratch(scratchUrl)` would open its owner's session in that database. If somebody ended
 * all sessions of the first database, this session would end too. Other processes would then drop
 * the second database.
 */
export async function addDatabase(
  scratchUrl: string,
  name: string,
  template = 'template1',
): Promise<string> {
  const database = `${databaseIn(scratchUrl)}_${name}`;
  await onServer(
    scratchUrl,
    (sql) => sql`CREATE DATABASE ${sql(database)} TEMPLATE ${sql(template)}`,
  );
  return changed(scratchUrl, (url) => {
    url.pathname = database;
  });
}

/** Returns a name for a new database. Keeps the owner's session open until `leave` is called. */
async function openOwner(url: string): Promise<{ name: string; leave(): Promise<void> }> {
  const name = `${OWNED}${random(8)}`;
  let session = openSession(url, name);
  const leaving = new AbortController();
  const leave = async () => {
    leaving.abort();
    await session.sql.end({ timeout: 5 });
  };
  try {
    if (await hasOwnSession(session.sql)) {
      await allowSilence(session.sql);
      void stay(leaving.signal);
      return { name, leave };
    }
  } catch (error) {
    await leave();
    throw unusable(databaseName(url), error);
  }
  await leave();
  await refuseSharedSessions(url, 'This command needs an address of PostgreSQL itself.');
  return { name: `${TIMED}${Date.now()}_${random(4)}`, leave: async () => {} };

  /**
   * Opens the owner's session again each time it is lost, for example by a restart of PostgreSQL.
   */
  async function stay(signal: AbortSignal) {
    for (;;) {
      await session.lost;
      await sleep(REOPEN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      session = openSession(url, name);
      await allowSilence(session.sql).catch(session.lose);
    }
  }
}

/** Opens a session with this application name. `lost` resolves when the session has ended. */
function openSession(url: string, name: string) {
  let lose = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const sql = oneConnection(url, { connection: { application_name: name }, onclose: lose });
  void lost.then(() => sql.end({ timeout: 0 }));
  return { sql, lost, lose };
}

/**
 * Turns off the server's limit for silent sessions, because the owner's session stays silent while
 * the database is in use.
 */
const allowSilence = (sql: postgres.Sql) =>
  sql`SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`;

/**
 * Returns whether this connection has a server session of its own. A pooler shares its sessions
 * among connections, and gives the driver an invented process id.
 */
async function hasOwnSession(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return rows[0]?.pid === rows.state.pid;
}

const random = (bytes: number): string => randomBytes(bytes).toString('hex');

async function onServer<T>(url: string, work: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
  const sql = oneConnection(url, {});
  try {
    return await work(sql);
  } catch (error) {
    throw unusable(databaseName(url), error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Drops the databases of this server whose names begin with this prefix. */
export const dropAll = (url: string, prefix: string): Promise<void> =>
  onServer(url, async (sql) => {
    const rows = await sql<{ datname: string }[]>`
      SELECT datname FROM pg_database WHERE starts_with(datname, ${prefix})`;
    for (const { datname } of rows) await sql`DROP DATABASE IF EXISTS ${sql(datname)} WITH (FORCE)`;
  });

/**
 * Drops the scratch databases whose owners were killed. Keeps the databases of living processes.
 * Returns the SQLSTATE of each failed drop, except for databases that are in use.
 */
export async function dropLeftovers(url: string, stop?: AbortSignal): Promise<string[]> {
  const sql = oneConnection(url, {});
  const late = AbortSignal.timeout(SWEEP_MS);
  const signal = stop ? AbortSignal.any([stop, late]) : late;
  const giveUp = () => void sql.end({ timeout: 0 });
  signal.addEventListener('abort', giveUp);
  const failures: string[] = [];
  try {
    for (const name of await leftovers(sql)) {
      if (signal.aborted) break;
      await sql`DROP DATABASE IF EXISTS ${sql(name)}`.catch(async ({ code }) => {
        // Two drops of one database may collide. Then one drop fails, but the database is gone.
        if (signal.aborted || (await isThere(sql, name))) failures.push(code);
      });
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    await sql.end({ timeout: 5 });
  }
  return failures.filter((code) => code !== SQLSTATE.objectInUse);
}

const isThere = async (sql: postgres.Sql, name: string): Promise<boolean> =>
  (await sql`SELECT FROM pg_database WHERE datname = ${name}`).length > 0;

async function leftovers(sql: postgres.Sql): Promise<string[]> {
  const owned = `^${OWNED}[0-9a-f]{16}`;
  const timed = `^${TIMED}[0-9]{13}_[0-9a-f]{8}(_|$)`;
  const rows = await sql<{ datname: string }[]>`
    SELECT datname FROM pg_database AS d
    WHERE CASE
        WHEN datname ~ ${`${owned}(_|$)`} THEN NOT EXISTS (
          SELECT FROM pg_stat_activity WHERE application_name = substring(d.datname FROM ${owned}))
        WHEN datname ~ ${timed} THEN
          split_part(datname, '_', 3)::bigint < ${Date.now() - TIMED_LIVE_MS}
      END
      AND NOT EXISTS (
        SELECT FROM pg_stat_activity AS a
        WHERE a.datname = d.datname AND backend_type IS DISTINCT FROM 'autovacuum worker')`;
  return rows.map(({ datname }) => datname);
}

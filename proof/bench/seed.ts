import type postgres from 'postgres';
import { oneConnection } from '../../src/platform/db/one-connection.ts';
import { UsageError } from '../../src/platform/process/errors.ts';
import { RECRUITERS } from './load/asks.ts';

export interface Seed {
  /**
   * The number of full jobs. A full job has as many claims as slots. The ids of the full jobs begin
   * at 1.
   */
  fullJobs: number;
  /** The number of jobs without a claim. Their ids follow the ids of the full jobs. */
  freeJobs: number;
}

const COMPANIES = 100;

/** Fills a migrated database. Throws a `UsageError` unless the account is a superuser. */
export const seed = (url: string, { fullJobs, freeJobs }: Seed): Promise<void> =>
  withConnection(url, async (sql) => {
    const [account] = await sql`SELECT current_setting('is_superuser') AS "isSuperuser"`;
    if (account?.isSuperuser !== 'on')
      throw new UsageError('The account in DATABASE_URL must be a superuser for the bench.');
    // This setting turns foreign keys and triggers off, so four million rows take only seconds.
    await sql`SET session_replication_role = replica`;
    await sql`
      INSERT INTO companies (name) SELECT 'Company ' || n FROM generate_series(1, ${COMPANIES}::int) n`;
    await sql`
      INSERT INTO recruiters (name)
      SELECT 'Recruiter ' || n FROM generate_series(1, ${RECRUITERS}::int) n`;
    await sql`
      INSERT INTO jobs (company_id, role)
      SELECT 1 + n % ${COMPANIES}::int, 'Role ' || n
      FROM generate_series(1, ${fullJobs + freeJobs}::int) n`;
    await sql`
      INSERT INTO job_claims (job_id, recruiter_id)
      SELECT job, 1 + (job * capacity + slot) % ${RECRUITERS}::int
      FROM (SELECT id AS job, capacity FROM jobs WHERE id <= ${fullJobs} ORDER BY id) full_jobs,
        generate_series(0, capacity - 1) slot`;
    await sql`VACUUM (ANALYZE) companies, recruiters, jobs, job_claims`;
    await sql`CHECKPOINT`;
  });

/**
 * Removes all claims and events. The next round begins with no dead rows and no unwritten pages.
 */
export const clearClaims = (url: string): Promise<void> =>
  withConnection(url, async (sql) => {
    await sql`TRUNCATE job_claims, events`;
    await sql`CHECKPOINT`;
  });

/**
 * Turns the events of claims on or off. While they are off, claims call no trigger. A view takes the
 * place of the table of events. The service still sends its events, but the view drops them.
 */
export const setEvents = (url: string, appends: boolean): Promise<void> =>
  withConnection(url, async (sql) => {
    const [kept] = await sql`SELECT to_regclass('kept_events') IS NOT NULL AS "areOff"`;
    if (kept?.areOff === !appends) return;
    await sql.unsafe(appends ? EVENTS_ON : EVENTS_OFF);
  });

const EVENTS_OFF = `
  ALTER TABLE job_claims DISABLE TRIGGER USER;
  ALTER TABLE events RENAME TO kept_events;
  CREATE VIEW events AS SELECT * FROM kept_events WHERE false;
  CREATE FUNCTION drop_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER drop_event INSTEAD OF INSERT ON events FOR EACH ROW EXECUTE FUNCTION drop_event()`;
const EVENTS_ON = `
  DROP VIEW events;
  DROP FUNCTION drop_event;
  ALTER TABLE kept_events RENAME TO events;
  ALTER TABLE job_claims ENABLE TRIGGER USER`;

/**
 * Removes the claims on the free jobs, without a checkpoint. The first change of a page after a
 * checkpoint writes the whole page to the log. In a large table, nearly every claim changes a
 * different page. Most servers have this cost for a moment every five minutes. With a checkpoint
 * before each round, whole rounds would have this cost. The triggers are off, because the removal
 * is no part of a round.
 */
export const clearFreeJobs = (url: string, { fullJobs }: Seed): Promise<void> =>
  withConnection(url, async (sql) => {
    await sql`SET session_replication_role = replica`;
    await sql`DELETE FROM job_claims WHERE job_id > ${fullJobs}`;
    await sql`VACUUM job_claims`;
  });

export const countClaims = (url: string): Promise<number> =>
  withConnection(url, async (sql) => {
    const [row] = await sql<{ claims: number }[]>`SELECT count(*)::int AS claims FROM job_claims`;
    return row?.claims ?? 0;
  });

export async function withConnection<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = oneConnection(url, {});
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

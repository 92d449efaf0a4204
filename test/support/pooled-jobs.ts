import postgres from 'postgres';
import { expect } from 'vitest';
import type { LogEvent } from '../../src/platform/process/log.ts';
import type { Service } from '../../src/service/program/service.ts';
import { makeService } from './app.ts';
import { crowd } from './claims.ts';
import { atEnd } from './command.ts';
import { makeDatabaseWith } from './database.ts';
import { whileHeld } from './locks.ts';
import { makePooler, SETTINGS } from './pooler.ts';

const CAPACITY = 4;
const RECRUITERS = 20;
const SERVERS = 2;
/** The number of crowds that claim at the same time. Each crowd claims its own job. */
const CROWDS = 10;

/**
 * Starts two servers behind a pooler. With the default isolation level of this database, claims
 * would oversell jobs.
 */
async function makeServers(mode: 'session' | 'transaction', count: number) {
  const databaseUrl = await makeDatabaseWith('default_transaction_isolation', 'repeatable read');
  const poolerUrl = await makePooler(databaseUrl, { mode, dropped: SETTINGS });
  const errors: LogEvent[] = [];
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, error: (event: LogEvent) => void errors.push(event) };
  const starting = Array.from({ length: SERVERS }, () =>
    makeService(poolerUrl, { lab: false, log }),
  );
  const servers = await Promise.all(starting);
  const sql = postgres(databaseUrl, { max: 2 });
  atEnd(() => sql.end());
  const jobs = await sql<{ id: number }[]>`
    INSERT INTO jobs (company_id, role, capacity)
    SELECT 1, 'Behind a pooler', ${CAPACITY} FROM generate_series(1, ${count}) RETURNING id::int`;
  return { databaseUrl, servers, sql, jobIds: jobs.map(({ id }) => id), errors };
}

const oversold = (sql: postgres.Sql) =>
  sql`SELECT job_id, count(*)::int AS claims FROM job_claims GROUP BY job_id
    HAVING count(*) > ${CAPACITY}`;

/**
 * Lets recruiters claim a job at the same time. A claim of each server waits for the job's lock.
 */
async function crowdInLine(databaseUrl: string, servers: Service[], jobId: number) {
  const { racing } = await whileHeld(databaseUrl, jobId, async ({ untilWaiting }) => {
    const racing = crowd(servers, jobId, RECRUITERS);
    await untilWaiting(SERVERS);
    return { racing };
  });
  return racing;
}

/**
 * Asserts that crowds of recruiters get exactly the slots of the jobs, behind PgBouncer in session
 * mode.
 */
export async function expectWholeJobs(count: number) {
  const { databaseUrl, servers, sql, jobIds, errors } = await makeServers('session', count);
  for (const jobId of jobIds) await crowdInLine(databaseUrl, servers, jobId);
  expect(await oversold(sql)).toEqual([]);
  const [row] = await sql`SELECT count(*)::int AS claims FROM job_claims`;
  expect(row).toEqual({ claims: count * CAPACITY });
  expect(errors).toEqual([]);
}

/**
 * Asserts for transaction mode that crowds oversell no job, and that all granted claims are in the
 * table. The servers soon lose their prepared statements, so some claims fail. But the first claims
 * reach the lock of their job.
 */
export async function expectNoFalseClaim(count: number) {
  const { databaseUrl, servers, sql, jobIds } = await makeServers('transaction', count);
  const [first, ...others] = jobIds as [number, ...number[]];
  const statuses = await crowdInLine(databaseUrl, servers, first);
  // A crowd takes five seconds, because some of its claims end only at their time limit. So several
  // crowds claim at the same time.
  for (let at = 0; at < others.length; at += CROWDS) {
    const together = others.slice(at, at + CROWDS);
    const crowds = await Promise.all(together.map((jobId) => crowd(servers, jobId, RECRUITERS)));
    statuses.push(...crowds.flat());
  }
  expect(await oversold(sql)).toEqual([]);
  const [row] = await sql`SELECT count(*)::int AS claims FROM job_claims`;
  expect(row).toEqual({ claims: statuses.filter((each) => each === 200).length });
}

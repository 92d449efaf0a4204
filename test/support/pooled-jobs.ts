import postgres from 'postgres';
import { expect } from 'vitest';
import type { LogEvent } from '../../src/process/log.ts';
import { makeService } from './app.ts';
import { crowd } from './claims.ts';
import { atEnd } from './command.ts';
import { makeDatabaseWith } from './database.ts';
import { whileHeld } from './locks.ts';
import { makePooler, SETTINGS } from './pooler.ts';

const CAPACITY = 4;
const RECRUITERS = 20;
const SERVERS = 2;

/**
 * Starts two servers behind a pooler. The database's default isolation level would oversell jobs.
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
 * Asserts that crowds of recruiters get exactly the slots of the jobs, behind PgBouncer in session
 * mode. In each crowd a claim of each server waits for the lock of the job.
 */
export async function expectWholeJobs(count: number) {
  const { databaseUrl, servers, sql, jobIds, errors } = await makeServers('session', count);
  for (const jobId of jobIds) {
    const { racing } = await whileHeld(databaseUrl, jobId, async ({ untilWaiting }) => {
      const racing = crowd(servers, jobId, RECRUITERS);
      await untilWaiting(SERVERS);
      return { racing };
    });
    await racing;
  }
  expect(await oversold(sql)).toEqual([]);
  const [row] = await sql`SELECT count(*)::int AS claims FROM job_claims`;
  expect(row).toEqual({ claims: count * CAPACITY });
  expect(errors).toEqual([]);
}

/** Asserts that crowds get no slot too many, and that all granted claims are there, in transaction mode. */
export async function expectNoFalseClaim(count: number) {
  const { servers, sql, jobIds } = await makeServers('transaction', count);
  const statuses: number[] = [];
  for (const jobId of jobIds) statuses.push(...(await crowd(servers, jobId, RECRUITERS)));
  expect(await oversold(sql)).toEqual([]);
  const [row] = await sql`SELECT count(*)::int AS claims FROM job_claims`;
  expect(row).toEqual({ claims: statuses.filter((each) => each === 200).length });
}

import type { Socket } from 'node:net';
import type postgres from 'postgres';
import { oneConnection } from '../../src/platform/db/one-connection.ts';
import { databaseError } from '../../src/platform/db/sqlstate.ts';
import { databaseName, unusable } from '../../src/platform/db/unusable.ts';
import { PlainError } from '../../src/platform/process/errors.ts';
import { until } from '../../src/platform/waiting/until.ts';
import type { ClaimRow, Finding, KeyRow, Ledger } from './ledger.ts';

const QUIET_PATIENCE_MS = 15_000;
const LOOK_MS = 20;
const CLOSE_PATIENCE_S = 5;
/** The maximum wait for a server's answer. A promotion and the largest queries take less time. */
const SILENCE_MS = 60_000;

/** Returns the milliseconds by which the database's clock is ahead of our clock. */
export async function clockOffset(sql: postgres.Sql): Promise<number> {
  const before = Date.now();
  const now = await databaseTime(sql);
  return now - (before + Date.now()) / 2;
}

/** Finds the jobs that have more live claims than slots at this moment. */
export async function oversold(sql: postgres.Sql): Promise<Finding[]> {
  const rows = await sql<{ id: string; capacity: number; claimed: number }[]>`
    SELECT jobs.id::text, capacity, count(*)::int AS claimed
    FROM jobs JOIN job_claims ON job_id = jobs.id
    WHERE expires_at IS NULL OR expires_at > statement_timestamp()
    GROUP BY jobs.id HAVING count(*) > capacity`;
  return rows.map(({ id, capacity, claimed }) => ({
    promise: 'capacity',
    what: `job ${id} has ${claimed} claims for ${capacity} slots`,
  }));
}

/**
 * Waits until all transactions have ended. Then compares the database with the recorded requests
 * and answers, and adds its findings to the ledger.
 */
export async function audit(sql: postgres.Sql, ledger: Ledger) {
  await untilQuiet(sql);
  const from = await databaseTime(sql);
  const claims = await sql<ClaimRow[]>`
    SELECT id::text, job_id::text AS "jobId", recruiter_id::text AS "recruiterId"
    FROM job_claims WHERE expires_at IS NULL OR expires_at > statement_timestamp()`;
  ledger.judgeClaims(claims, { from, to: await databaseTime(sql) });
  ledger.judgeKeys(await sql<KeyRow[]>`SELECT key, status, body FROM idempotency_keys`);
  for (const finding of await oversold(sql)) ledger.add(finding);
}

/**
 * Resolves when no other session has a transaction. The sessions of a killed server still finish
 * their last statement.
 */
async function untilQuiet(sql: postgres.Sql) {
  const isQuiet = async () => {
    const busy = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND backend_type = 'client backend'
      AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`;
    return busy.length === 0;
  };
  if (await until(isQuiet, { everyMs: LOOK_MS, withinMs: QUIET_PATIENCE_MS })) return;
  throw new PlainError('Transactions still run long after the load has ended.');
}

async function databaseTime(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
  return row?.ms ?? Number.NaN;
}

/**
 * Runs `work` on a new connection, and then closes the connection. Destroys the connection if no
 * answer comes for too long, because a frozen server neither answers nor disconnects.
 */
export async function onDatabase<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
  silenceMs = SILENCE_MS,
): Promise<T> {
  const options = { connection: { application_name: 'rowlock faults' } };
  const limit = (socket: Socket) => void socket.setTimeout(silenceMs, () => socket.destroy());
  const sql = oneConnection(url, options, limit);
  try {
    const result = await work(sql);
    await sql.end({ timeout: CLOSE_PATIENCE_S });
    return result;
  } catch (error) {
    // The server may be frozen, so do not wait for an orderly end of the connection.
    await sql.end({ timeout: 0 });
    throw databaseError(error) ? unusable(databaseName(url), error) : error;
  }
}

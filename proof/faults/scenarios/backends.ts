import type postgres from 'postgres';
import { onDatabase } from '../audit.ts';
import type { Scenario, Stage } from '../scenario.ts';

/**
 * The maximum number of answers between two kills. The answers between the kills let most of the
 * load succeed.
 */
const ANSWERS_BETWEEN = 8;

/** Kills random backends of the service inside their transactions. */
export const backends: Scenario = {
  name: 'backends',
  idea: 'pg_terminate_backend on running claim transactions, at random',
  servers: 1,
  faults: (stage) =>
    onDatabase(stage.databaseUrl, async (sql) => ({ kills: await killThatMany(sql, stage) })),
};

/**
 * Kills backends until enough kills count. Some transactions end before the signal reaches them.
 * Therefore a kill counts only if a request was answered `busy` (killed before COMMIT) or
 * `outcome-unknown` (killed at COMMIT).
 */
async function killThatMany(sql: postgres.Sql, { settings, load, stop, progress }: Stage) {
  const wanted = settings.kills;
  let killed = 0;
  for (;;) {
    killed += await killOne(sql);
    const { '503 busy': busy = 0, '503 outcome-unknown': unknown = 0 } = load.counts.answers;
    const hits = Math.min(killed, busy + unknown);
    progress(`${Math.min(hits, wanted)} of ${wanted} kills`);
    if (hits >= wanted) return hits;
    await load.pass(Math.ceil(Math.random() * ANSWERS_BETWEEN), stop);
  }
}

/**
 * Kills a backend that is inside a transaction. Such a backend is idle in a transaction, or runs a
 * statement that occurs only in transactions. MATERIALIZED makes PostgreSQL choose one backend
 * before the call of `pg_terminate_backend`. Returns 1 after a kill. Returns 0 if there was no such
 * backend, or if the backend had just ended.
 */
export async function killOne(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ killed: number }[]>`
    WITH victim AS MATERIALIZED (
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'rowlock'
      AND (state = 'idle in transaction'
        OR (state = 'active' AND query ~* '(for update\\s*$|insert into|^(update|delete|commit))'))
      ORDER BY random() LIMIT 1)
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::int AS killed FROM victim`;
  return row?.killed ?? 0;
}

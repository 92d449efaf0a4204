import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { onDatabase } from '../audit.ts';
import type { Scenario, Stage } from '../scenario.ts';

const AT_ONCE = 2;
const LONGEST_PAUSE_MS = 80;

/** Ends backends of the service inside their transactions, at random. */
export const backends: Scenario = {
  name: 'backends',
  idea: 'pg_terminate_backend on running claim transactions, at random',
  servers: 1,
  faults: (stage) =>
    onDatabase(stage.databaseUrl, async (sql) => ({ kills: await killThatMany(sql, stage) })),
};

/**
 * Some transactions end by themselves before the signal reaches them, so a kill counts once a
 * request has lost its answer to it too.
 */
async function killThatMany(sql: postgres.Sql, { settings, load, stop, progress }: Stage) {
  const wanted = settings.kills;
  let killed = 0;
  for (;;) {
    stop.throwIfAborted();
    killed += await killSome(sql);
    const hits = Math.min(killed, load.counts.answers['503 outcome-unknown'] ?? 0);
    progress(`${Math.min(hits, wanted)} of ${wanted} kills`);
    if (hits >= wanted) return hits;
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

/**
 * Those whose last statement stands only in a transaction, or that are between two of one. The
 * victims are chosen before the first is ended: hence MATERIALIZED.
 */
async function killSome(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ killed: number }[]>`
    WITH victims AS MATERIALIZED (
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'rowlock'
      AND (state = 'idle in transaction'
        OR (state = 'active' AND query ~* '(for update$|^(insert|update|delete|commit))'))
      ORDER BY random() LIMIT ${AT_ONCE})
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::int AS killed FROM victims`;
  return row?.killed ?? 0;
}

import type postgres from 'postgres';

/** The number of tasks, and the number of finished tasks. */
export interface Tally {
  /** Includes the events that have not become tasks yet. */
  made: number;
  finished: number;
}

export async function count(sql: postgres.Sql): Promise<Tally> {
  const [row] = await sql<Tally[]>`
    SELECT count(*)::int + (SELECT count(*)::int FROM webhook_unrelayed) AS made,
      count(finished_at)::int AS finished
    FROM tasks`;
  return row ?? { made: 0, finished: 0 };
}

/** Makes all waiting tasks due. A failed task would otherwise wait for seconds or for hours. */
export const hurry = (sql: postgres.Sql) => sql`
  UPDATE tasks SET run_at = statement_timestamp() WHERE id IN (
    SELECT id FROM tasks
    WHERE finished_at IS NULL AND lease_until IS NULL AND run_at > statement_timestamp()
    FOR UPDATE SKIP LOCKED)`;

/**
 * Returns whether all work is over: all tasks are done, all events have become tasks, and no claim
 * expires within a minute.
 */
export async function isQuiet(sql: postgres.Sql): Promise<boolean> {
  const left = await sql`
    SELECT FROM tasks WHERE ended IS DISTINCT FROM 'done'
    UNION ALL SELECT FROM webhook_unrelayed
    UNION ALL SELECT FROM job_claims WHERE expires_at < statement_timestamp() + interval '1 minute'
    LIMIT 1`;
  return left.length === 0;
}

/**
 * Ends a session of a worker in the middle of its work. Returns whether there was such a session.
 */
export async function terminate(sql: postgres.Sql, accounts: string): Promise<boolean> {
  const [row] = await sql<{ killed: number }[]>`
    WITH victim AS MATERIALIZED (
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(usename, ${accounts}) AND state <> 'idle'
      ORDER BY random() LIMIT 1)
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::int AS killed FROM victim`;
  return row?.killed === 1;
}

/** Returns whether the worker's own lease has ended, and the worker holds no task any more. */
export async function hasLostAll(sql: postgres.Sql, name: string): Promise<boolean> {
  const lost = await sql`
    SELECT FROM workers WHERE name = ${name} AND lease_until <= statement_timestamp()
    AND NOT EXISTS (SELECT FROM tasks
      WHERE worker_id = workers.id AND tasks.lease_until IS NOT NULL AND finished_at IS NULL)`;
  return lost.length > 0;
}

/** Locks a due task until the end of the transaction. Returns whether there was such a task. */
export async function lockDueTask(sql: postgres.Sql): Promise<boolean> {
  const locked = await sql`
    SELECT FROM tasks
    WHERE finished_at IS NULL AND lease_until IS NULL AND run_at <= statement_timestamp()
    ORDER BY lane, run_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return locked.length > 0;
}

/** Returns whether a worker waits for a lock of our session. */
export async function holdsUp(sql: postgres.Sql, accounts: string): Promise<boolean> {
  const waiting = await sql`
    SELECT FROM pg_stat_activity
    WHERE starts_with(usename, ${accounts}) AND wait_event_type = 'Lock'
      AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  return waiting.length > 0;
}

import postgres from 'postgres';
import { inject } from 'vitest';

/** Kills all sessions of the app. The app opens new sessions. */
export const killSessions = (databaseUrl: string) =>
  onScratch(
    (sql) => sql`
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = ${new URL(databaseUrl).pathname.slice(1)} AND application_name = 'rowlock'`,
  );

/** Runs `work` on a session of the scratch database, so `work` may end all sessions of a test. */
export async function onScratch(work: (sql: postgres.Sql) => PromiseLike<unknown>) {
  const sql = postgres(inject('scratchUrl'), { max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

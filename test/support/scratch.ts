import postgres from 'postgres';
import { startEmbedded } from '../../src/platform/postgres/embedded.ts';
import { atEnd } from './command.ts';

/**
 * Starts a server for the tests of scratch databases. On a shared server, these tests would also
 * see other databases.
 */
export async function startScratchServer() {
  const server = await startEmbedded();
  atEnd(server.stop);
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  const databases = async (): Promise<string[]> =>
    (await sql`SELECT datname FROM pg_database WHERE datname ~ 'scratch' ORDER BY 1`).map(
      ({ datname }) => datname,
    );
  /** Returns the ids of PostgreSQL's processes that serve the owner of this database. */
  const sessionsOf = async (name: string): Promise<number[]> =>
    (await sql`SELECT pid FROM pg_stat_activity WHERE application_name = ${name}`).map(
      ({ pid }) => pid,
    );
  return { server, sql, databases, sessionsOf };
}

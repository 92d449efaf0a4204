import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { PlainError } from '../errors.ts';
import { databaseOver } from './client.ts';
import { addDemoData } from './demo-data.ts';
import { type Codecs, openSession } from './session.ts';

/** Any number will do, as long as every instance takes the same one. */
const MIGRATION_LOCK = 7_203_554;
const LOCK_TIMEOUT_MS = 60_000;
const CLOSE_PATIENCE_S = 5;

export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/**
 * Brings the database at `url` up to the newest migration, and with `demoData` fills it if it holds
 * no company yet. Instances that start together take turns.
 *
 * Throws a `PlainError` when the database cannot be used.
 */
export async function prepareDatabase(url: string, { demoData = false } = {}) {
  const parameters = { application_name: 'rowlock migrate', lock_timeout: LOCK_TIMEOUT_MS };
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const session = openSession({ url, parameters }, codecs);
  const db = databaseOver({ lend: (use) => use(session) }, codecs);
  try {
    // Drizzle's migrator takes no lock of its own: of four at once, three failed.
    await db.execute(sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(db, { migrationsFolder });
    if (demoData) await addDemoData(db);
  } catch (error) {
    throw unusable(url, error);
  } finally {
    // Closing the connection gives the lock back.
    await session.close(CLOSE_PATIENCE_S);
  }
}

/** Names the server and the reason, and never the password. */
export function unusable(url: string, error: unknown): PlainError {
  const { hostname, port, pathname } = new URL(url);
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const words = reason instanceof Error ? reason.message || reason.name : String(reason);
  return new PlainError(
    `Cannot use PostgreSQL at ${hostname}:${port || 5432}${pathname}: ${words}. ` +
      'Check DATABASE_URL, or unset it to use the embedded PostgreSQL.',
  );
}

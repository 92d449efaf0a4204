import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { inProject } from '../process/project.ts';
import { type Database, databaseOver, type Transaction } from './client.ts';
import { addDemoData } from './demo-data.ts';
import { type Codecs, openSession, type SessionSettings } from './session.ts';
import { databaseName, unusable } from './unusable.ts';

/** The number is arbitrary, but all instances must use the same one. */
const MIGRATION_LOCK = 7_203_554;
const LOCK_TIMEOUT_MS = 60_000;
const CLOSE_PATIENCE_S = 5;

export const migrationsFolder = inProject('drizzle');

export interface PrepareOptions {
  /** Fills the database if it holds no company yet. */
  demoData?: boolean;
  /** The name of the database in errors. */
  name?: string;
  /** Folders with migrations of tables beside production's. */
  more?: string[];
}

/**
 * Applies all missing migrations to the database at `url`. Instances that start together take turns.
 *
 * Throws a `PlainError` if the database cannot be used.
 */
export async function prepareDatabase(
  url: string,
  { demoData = false, name = databaseName(url), more = [] }: PrepareOptions = {},
) {
  const { db, close } = databaseAlone(url, { application_name: 'rowlock migrate' });
  try {
    await db.execute(sql.raw(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`));
    // Drizzle's migrator takes no lock: of four migrators at once, three failed.
    await db.execute(sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(db, { migrationsFolder });
    // Each folder needs a table of its own, because Drizzle skips all migrations that are older
    // than the newest one in the table.
    for (const folder of more) {
      const migrationsTable = `__${path.basename(folder)}_migrations`;
      await migrate(db, { migrationsFolder: folder, migrationsTable });
    }
    if (demoData) await addDemoData(db);
  } catch (error) {
    throw unusable(name, error, 'Its migrations failed, and were undone.');
  } finally {
    // Closing the connection releases the lock.
    await close();
  }
}

/** The database over one connection. Slow statements are not given up. */
export function databaseAlone(url: string, parameters: SessionSettings['parameters']) {
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const session = openSession({ url, parameters }, codecs);
  const db = databaseOver({ lend: (use) => use(session) }, codecs);
  return { db, close: () => session.close(CLOSE_PATIENCE_S) };
}

interface Journal {
  entries: { tag: string; when: number }[];
}

let journal: Journal | undefined;

/**
 * Reads the journal only once, because /readyz asks often. The process needs the migrations that
 * existed at its start.
 */
function readJournal(): Journal {
  const file = path.join(migrationsFolder, 'meta', '_journal.json');
  journal ??= JSON.parse(readFileSync(file, 'utf8')) as Journal;
  return journal;
}

/** The names of the migrations in `drizzle/` that this database does not have, in order. */
export async function missingMigrations(db: Database | Transaction): Promise<string[]> {
  const { entries } = readJournal();
  const applied = new Set(await appliedMigrations(db));
  return entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

/** The triggers that the migrations create, with their tables. */
export function expectedTriggers(): { name: string; table: string }[] {
  const statements = readMigrationFiles({ migrationsFolder }).flatMap((each) => each.sql);
  return statements.flatMap((each) => {
    const [, name, table] = each.match(/\bCREATE TRIGGER "(\w+)"[^;]*?\bON "(\w+)"/) ?? [];
    return name && table ? [{ name, table }] : [];
  });
}

/**
 * When the applied migrations were written, in milliseconds since 1970. Drizzle identifies a
 * migration by this time.
 */
async function appliedMigrations(db: Database | Transaction): Promise<number[]> {
  const [table] = await db.execute(
    sql`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`,
  );
  if (!table?.exists) return [];
  const rows = await db.execute(sql`SELECT created_at FROM drizzle.__drizzle_migrations`);
  return rows.map((row) => Number(row.created_at));
}

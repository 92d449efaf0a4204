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

/** Any number would do, but all instances must use the same number. */
export const MIGRATION_LOCK = 7_203_554;
const LOCK_TIMEOUT_MS = 60_000;
const CLOSE_PATIENCE_S = 5;

export const migrationsFolder = inProject('drizzle');

export interface PrepareOptions {
  /** Whether to add the demo data if the database has no company yet. */
  demoData?: boolean;
  /** The name of the database in error messages. */
  name?: string;
  /** Folders with further migrations. They are applied after the migrations of production. */
  more?: string[];
}

/**
 * Applies all missing migrations to the database at `url`. Instances that start together take
 * turns.
 *
 * Throws a `PlainError` with the reason if a step fails.
 */
export async function prepareDatabase(
  url: string,
  { demoData = false, name = databaseName(url), more = [] }: PrepareOptions = {},
) {
  const { db, close } = databaseAlone(url, { application_name: 'rowlock migrate' });
  /** Words for an operator, if the current step fails for a reason that we do not know. */
  let failure: string | undefined;
  try {
    // The lock belongs to the transaction. Behind a pooler in transaction mode, the lock of a
    // session would stay with the server's session, and the next migrator would wait for ever.
    await db.transaction(async (tx) => {
      await tx.execute(sql.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`));
      // Drizzle's migrator takes no lock. Without our lock, three of four migrators failed when all four started together.
      failure = 'Another process is still migrating this database. Try again later.';
      await tx.execute(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      failure = 'The migrations failed, and were undone.';
      await migrate(tx, { migrationsFolder });
      // Each folder needs its own table of applied migrations. Drizzle skips all migrations that
      // are older than the newest migration in the table.
      for (const folder of more) {
        failure = `The migrations in ${folder} failed, and were undone.`;
        const migrationsTable = `__${path.basename(folder)}_migrations`;
        await migrate(tx, { migrationsFolder: folder, migrationsTable });
      }
      failure = 'The demo data could not be added.';
      if (demoData) await addDemoData(tx);
    });
  } catch (error) {
    throw unusable(name, error, failure);
  } finally {
    await close();
  }
}

/** Opens a database over one connection. Statements have no time limit. */
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
 * Reads the journal only once, because each request to /readyz uses the journal. Migrations that
 * are added later belong to a later version of the program.
 */
function readJournal(): Journal {
  const file = path.join(migrationsFolder, 'meta', '_journal.json');
  journal ??= JSON.parse(readFileSync(file, 'utf8')) as Journal;
  return journal;
}

/** The names of the migrations in `drizzle/` that were not applied to this database, in order. */
export async function missingMigrations(db: Database | Transaction): Promise<string[]> {
  const { entries } = readJournal();
  const applied = new Set(await appliedMigrations(db));
  return entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

/** The triggers that the migrations create and do not drop later, with their tables. */
export function expectedTriggers(): { name: string; table: string }[] {
  const statements = readMigrationFiles({ migrationsFolder }).flatMap((each) => each.sql);
  const triggers = new Map<string, { name: string; table: string }>();
  for (const each of statements) {
    const [, change, name = '', table = ''] =
      each.match(/\b(CREATE|DROP) TRIGGER "(\w+)"[^;]*?\bON "(\w+)"/) ?? [];
    if (change === 'CREATE') triggers.set(`${name} on ${table}`, { name, table });
    if (change === 'DROP') triggers.delete(`${name} on ${table}`);
  }
  return [...triggers.values()];
}

/**
 * The times when the applied migrations were written, in milliseconds since 1970. Drizzle
 * identifies a migration by this time.
 */
async function appliedMigrations(db: Database | Transaction): Promise<number[]> {
  const [table] = await db.execute(
    sql`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`,
  );
  if (!table?.exists) return [];
  const rows = await db.execute(sql`SELECT created_at FROM drizzle.__drizzle_migrations`);
  return rows.map((row) => Number(row.created_at));
}

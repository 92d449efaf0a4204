import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { PlainError } from '../process/errors.ts';
import { inProject } from '../process/project.ts';
import type { Database, Transaction } from './client.ts';

export const migrationsFolder = inProject('drizzle');

/**
 * A folder of migrations, and the table in the schema `drizzle` that lists the applied migrations.
 */
export interface Migrations {
  folder: string;
  table: string;
}

export const production: Migrations = { folder: migrationsFolder, table: '__drizzle_migrations' };

export interface Migration {
  /** The name of the file, without `.sql`. */
  name: string;
  /**
   * The time at which the migration was written, in milliseconds since 1970. Drizzle identifies a
   * migration by this time.
   */
  when: number;
  hash: string;
  statements: string[];
}

interface Journal {
  entries: { tag: string; when: number }[];
}

const journals = new Map<string, Journal>();

/**
 * Reads a journal only once, because each request to /readyz uses it. Migrations that are added
 * later belong to a later version of the program.
 */
function readJournal(folder: string): Journal {
  const known = journals.get(folder);
  if (known) return known;
  const file = path.join(folder, 'meta', '_journal.json');
  const journal = complete(file, () => JSON.parse(readFileSync(file, 'utf8')) as Journal);
  journals.set(folder, journal);
  return journal;
}

/**
 * Reads a file of a migration. If the file is missing, the error blames the deployment and not the
 * database.
 */
function complete<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new PlainError(
      `Cannot read the migrations at ${file} (${reason}). The service needs the folder drizzle/ beside dist/.`,
    );
  }
}

/** Returns all migrations of a folder, in order. */
export function readMigrations({ folder }: Migrations): Migration[] {
  const { entries } = readJournal(folder);
  const files = complete(folder, () => readMigrationFiles({ migrationsFolder: folder }));
  return files.map(({ sql: statements, folderMillis: when, hash }, at) => ({
    ...{ name: entries[at]?.tag ?? String(when), when, hash, statements },
  }));
}

/** Returns the migrations of production, in order. */
export const knownMigrations = () => readJournal(migrationsFolder).entries;

/** Returns the names of the migrations in `drizzle/` that this database lacks, in order. */
export async function missingMigrations(
  db: Database | Transaction,
  of: Migrations = production,
): Promise<string[]> {
  const { entries } = readJournal(of.folder);
  const applied = new Set(await appliedMigrations(db, of));
  return entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

/** Returns the triggers that the migrations create and do not drop later, with their tables. */
export function expectedTriggers(): { name: string; table: string }[] {
  const triggers = new Map<string, { name: string; table: string }>();
  for (const each of readMigrations(production).flatMap(({ statements }) => statements)) {
    const [, change, name = '', table = ''] =
      each.match(/\b(CREATE|DROP) TRIGGER "(\w+)"[^;]*?\bON "(\w+)"/) ?? [];
    if (change === 'CREATE') triggers.set(`${name} on ${table}`, { name, table });
    if (change === 'DROP') triggers.delete(`${name} on ${table}`);
  }
  return [...triggers.values()];
}

/** Returns the times of the applied migrations. */
export async function appliedMigrations(
  db: Database | Transaction,
  { table }: Migrations = production,
): Promise<number[]> {
  const name = `drizzle.${table}`;
  const [found] = await db.execute(sql`SELECT to_regclass(${name}) IS NOT NULL AS exists`);
  if (!found?.exists) return [];
  const rows = await db.execute(sql`SELECT created_at FROM ${sql.raw(name)}`);
  return rows.map((row) => Number(row.created_at));
}

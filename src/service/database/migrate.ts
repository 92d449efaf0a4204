import path from 'node:path';
import { sql } from 'drizzle-orm';
import { databaseAlone } from '../../platform/db/alone.ts';
import { applyAll, applyOne } from '../../platform/db/apply.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import {
  appliedMigrations,
  type Migrations,
  missingMigrations,
  production,
  readMigrations,
} from '../../platform/db/migrations.ts';
import { isCausedBy, SQLSTATE } from '../../platform/db/sqlstate.ts';
import { inTurn, type MigrationTarget } from '../../platform/db/turn.ts';
import { databaseName, unusable } from '../../platform/db/unusable.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { type AddedRows, addDemoData } from './demo-data.ts';
import { readSchemaState, TOO_OLD } from './installation.ts';

const PATIENCE_MS = 60_000;

export interface PrepareOptions {
  /** Whether to add the demo data if the database has no company yet. */
  demoData?: boolean;
  /** The name of the database in error messages. */
  name?: string;
  /** Folders with further migrations. They are applied after the migrations of production. */
  more?: string[];
  /** Whether missing migrations are applied. If not, a missing migration is an error. */
  migrates?: boolean;
  /** How long to wait for another process that migrates, or for a table that is in use. */
  patienceMs?: number;
}

/**
 * Applies all missing migrations to the database at `url`. Instances that start together take
 * turns. If nothing is missing, the account needs no right to change the schema.
 *
 * Returns how many rows of demo data it added, or undefined if it added none. Throws a `PlainError`
 * with the reason if a step fails.
 */
export async function prepareDatabase(
  url: string,
  options: PrepareOptions = {},
): Promise<AddedRows | undefined> {
  const { demoData = false, name = databaseName(url), more = [], migrates = true } = options;
  const { patienceMs = PATIENCE_MS } = options;
  const { db, close } = databaseAlone(url, { application_name: 'rowlock migrate' });
  const folders = [production, ...more.map(tableOf)];
  let failure: string | undefined;
  try {
    if (!(await readSchemaState(db)).mayServe) throw new PlainError(`${name}: ${TOO_OLD}`);
    const missing = await namesOfMissing(db, folders);
    if (missing.length > 0 && !migrates)
      throw new PlainError(`${name} lacks ${inShort(missing)}, and MIGRATE=off. ${BY_OWNER}`);
    if (missing.length > 0) {
      failure = 'A migration failed, and was undone.';
      await migrate({ url, db, patienceMs }, name, folders);
    }
    failure = 'The demo data could not be added.';
    return demoData ? await inTurn({ db, patienceMs }, (tx) => addDemoData(tx)) : undefined;
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw unusable(name, error, failure);
  } finally {
    await close();
  }
}

const BY_OWNER = 'Run npm run migrate with the DATABASE_URL of the owner of the database.';

/**
 * Returns the table of applied migrations for a folder. Each folder needs its own table. Older
 * versions skip a migration if it is older than the newest migration in the table.
 */
const tableOf = (folder: string): Migrations => ({
  folder,
  table: `__${path.basename(folder)}_migrations`,
});

/**
 * Names the missing migrations for an operator, in one line. If a database lacks many migrations,
 * names only the first and the last.
 */
const inShort = (names: string[]): string =>
  names.length > 3 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');

async function namesOfMissing(db: Database | Transaction, folders: Migrations[]) {
  const names: string[] = [];
  for (const folder of folders) names.push(...(await missingMigrations(db, folder)));
  return names;
}

async function migrate(place: MigrationTarget, name: string, folders: Migrations[]) {
  const { db } = place;
  try {
    // No user waits for a new database, so one transaction may take all locks. A failure undoes
    // everything.
    await inTurn(place, async (tx) => {
      if ((await appliedMigrations(tx)).length > 0) return;
      for (const each of folders) await applyAll(tx, each);
    });
    for (const folder of folders)
      for (const migration of readMigrations(folder)) await applyOne(place, folder, migration);
  } catch (error) {
    if (!isCausedBy(error, SQLSTATE.insufficientPrivilege)) throw error;
    const missing = await namesOfMissing(db, folders);
    const [row] = await db.execute<{ user: string }>(sql`SELECT current_user AS user`);
    throw new PlainError(
      `${name} lacks ${inShort(missing)}, and the account "${row?.user}" may not change the schema. ${BY_OWNER}`,
    );
  }
}

/** Applies the migrations of production up to the migration `last`, as an earlier version would. */
export async function migrateThrough(url: string, last: string) {
  const { db, close } = databaseAlone(url, { application_name: 'rowlock migrate' });
  const place = { url, db, patienceMs: PATIENCE_MS };
  const all = readMigrations(production);
  const end = all.findIndex(({ name }) => name === last) + 1;
  try {
    for (const migration of all.slice(0, end)) await applyOne(place, production, migration);
  } finally {
    await close();
  }
}

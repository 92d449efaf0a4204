import { sql } from 'drizzle-orm';
import type { Database, Transaction } from './client.ts';
import { appliedMigrations, knownMigrations } from './migrations.ts';
import { installation } from './schema.ts';

/**
 * False in a database that was restored, until somebody has said what to do with its tasks. Tasks
 * and webhooks have effects outside of the database, and a restore does not undo these effects. The
 * condition is a part of each claim of tasks, so no worker can be late. The condition takes about
 * 30 µs of each claim statement. A claim of one task takes 144 µs, and 113 µs without the condition.
 * PostgreSQL prepares the expressions of `database_identity` anew in each transaction.
 */
export const MAY_HAVE_EFFECTS = sql`coalesce((select ${installation.pausedAt} is null
  and coalesce(${installation.identity} = database_identity(), true) from ${installation}), true)`;

/** How the schema of the database differs from the schema of this version. */
export interface SchemaState {
  /** The names of the migrations of this version that the database lacks. */
  missing: string[];
  /** How many migrations the database has that this version does not know. */
  unknown: number;
  /** False if a migration of the database says that this version is too old to serve. */
  mayServe: boolean;
}

export async function readSchemaState(db: Database | Transaction): Promise<SchemaState> {
  const known = knownMigrations();
  const applied = new Set(await appliedMigrations(db));
  const missing = known.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
  const unknown = [...applied].filter((when) => known.every((each) => each.when !== when)).length;
  return { missing, unknown, mayServe: unknown === 0 || (await isNewEnough(db)) };
}

async function isNewEnough(db: Database | Transaction): Promise<boolean> {
  const newest = knownMigrations().at(-1)?.when ?? 0;
  const [row] = await db.select({ oldest: installation.oldestMigration }).from(installation);
  return Number(row?.oldest ?? 0) <= newest;
}

/** The message of a server that may not use its database, because the database is too new. */
export const TOO_OLD =
  'This version is too old for the database. Start the newer version again, or restore the backup ' +
  'from before the upgrade.';

import { sql } from 'drizzle-orm';
import { pause, pauseAfter } from '../waiting/backoff.ts';
import type { Database, Transaction } from './client.ts';
import {
  appliedMigrations,
  type Migration,
  type Migrations,
  readMigrations,
} from './migrations.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';
import { inTurn, type MigrationTarget, whileOurTurn } from './turn.ts';

/**
 * The maximum wait of a migration for the lock of a table. While a migration waits, all other users
 * of the table wait behind the migration. So the wait is short, and the migration tries again after
 * a pause.
 */
const LOCK_TIMEOUT_MS = 200;
/**
 * The maximum length of every fifth wait for the lock. This wait is longer, because an autovacuum
 * may hold the lock. PostgreSQL cancels the autovacuum only after a session has waited for a second
 * (`deadlock_timeout`). The vacuum of a large table takes minutes.
 */
const LONG_LOCK_TIMEOUT_MS = 1_500;
const BETWEEN_TRIES = { shortestMs: 500, longestMs: 2_000, jitter: 0.5 };

/**
 * Matches the statements that build an index without blocking writes. PostgreSQL runs such
 * statements only outside of transactions.
 */
const BUILDS_INDEX =
  /^(?:\s*--[^\n]*\n)*\s*CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS "(\w+)"/;

/** Applies all migrations of a folder in one transaction, to a new database. */
export async function applyAll(tx: Transaction, of: Migrations) {
  await makeTable(tx, of);
  for (const each of readMigrations(of)) {
    for (const statement of each.statements)
      await tx.execute(sql.raw(withoutConcurrently(statement)));
    await note(tx, of, each);
  }
}

/**
 * Returns the statement in a form that a transaction accepts. The tables of a new database are
 * empty, so building an index delays nobody.
 */
const withoutConcurrently = (statement: string): string =>
  BUILDS_INDEX.test(statement) ? statement.replace(' CONCURRENTLY', '') : statement;

/**
 * Applies a migration in a transaction of its own, unless the migration is already applied. A
 * migration that waits for a table gives up soon, and tries again. So no other transaction waits
 * long behind a migration.
 */
export async function applyOne(target: MigrationTarget, of: Migrations, migration: Migration) {
  const { db, patienceMs } = target;
  const isApplied = async (tx: Database | Transaction) =>
    (await appliedMigrations(tx, of)).includes(migration.when);
  if (await isApplied(db)) return;
  const builds = migration.statements.filter((each) => BUILDS_INDEX.test(each));
  const rest = migration.statements.filter((each) => !BUILDS_INDEX.test(each));
  if (builds.length > 0) await whileOurTurn(target, () => buildIndexes(db, builds));
  const until = performance.now() + patienceMs;
  for (let failures = 0; ; failures++) {
    const lockMs = failures % 5 === 4 ? LONG_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS;
    try {
      return await inTurn(target, async (tx) => {
        if (await isApplied(tx)) return;
        await tx.execute(sql.raw(`SET LOCAL lock_timeout = ${lockMs}`));
        await makeTable(tx, of);
        for (const statement of rest) await tx.execute(sql.raw(statement));
        await note(tx, of, migration);
      });
    } catch (error) {
      const isLocked = isCausedBy(error, SQLSTATE.lockNotAvailable);
      if (!isLocked || performance.now() > until) throw error;
      await pause(pauseAfter(failures, BETWEEN_TRIES));
    }
  }
}

/**
 * Builds indexes without blocking writes. First drops an index that a killed process left
 * unfinished.
 */
async function buildIndexes(db: Database, statements: string[]) {
  for (const statement of statements) {
    const [, name = ''] = BUILDS_INDEX.exec(statement) ?? [];
    const [unfinished] = await db.execute(
      sql`SELECT FROM pg_index WHERE indexrelid = to_regclass(${`public."${name}"`}) AND NOT indisvalid`,
    );
    if (unfinished) await db.execute(sql.raw(`DROP INDEX CONCURRENTLY "${name}"`));
    await db.execute(sql.raw(statement));
  }
}

/**
 * Makes the table of Drizzle's migrator. Earlier versions of Rowlock use this migrator, so they
 * know this table too.
 */
async function makeTable(tx: Transaction, { table }: Migrations) {
  const [found] = await tx.execute(
    sql`SELECT to_regclass(${`drizzle.${table}`}) IS NOT NULL AS is`,
  );
  if (found?.is) return;
  await tx.execute(sql`CREATE SCHEMA IF NOT EXISTS drizzle`);
  await tx.execute(
    sql`CREATE TABLE drizzle.${sql.identifier(table)} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  );
}

const note = (tx: Transaction, { table }: Migrations, { hash, when }: Migration) =>
  tx.execute(
    sql`INSERT INTO drizzle.${sql.identifier(table)} (hash, created_at) VALUES (${hash}, ${when}::bigint)`,
  );

import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { appliedMigrations, knownMigrations } from '../../platform/db/migrations.ts';
import { installation } from './schema.ts';

/**
 * True for the only row of the table. The condition lets PostgreSQL find the row through the
 * primary key when a worker claims tasks.
 */
export const IS_INSTALLATION = sql`${installation.id} = 1`;

/**
 * The condition under which tasks may be claimed and webhooks may be made. The condition is false
 * in a restored database until a person decides what happens to the tasks. Tasks and webhooks have
 * effects outside of the database, and a restore does not undo these effects. Each statement that
 * claims tasks contains the condition, so no worker can forget the check. A claim of one task takes
 * 144 µs with the condition and 113 µs without it, because PostgreSQL prepares the expressions of
 * `database_identity` again in each transaction.
 *
 * The condition cannot distinguish a failover from a restore, so it is false after a failover too.
 * A worker then compares the identities and writes the new identity, within about two seconds.
 * Until then `isPaused` is false, because nobody has to decide anything after a failover.
 */
export const MAY_HAVE_EFFECTS = sql`coalesce((select ${installation.pausedAt} is null
  and coalesce(${installation.identity} = database_identity(), true)
  from ${installation} where ${IS_INSTALLATION}), true)`;

/**
 * If a worker's last sign of life is older than this time, a new timeline counts as a restore and
 * not as a failover. A failover and a restore to a point in time both start a new timeline. But a
 * failover loses at most the last seconds of data, so the last sign of life is then recent.
 */
const LONGEST_FAILOVER_S = 120;

/**
 * Whether this database is the database in which a worker was last alive. `first` means that no
 * worker has been alive yet.
 */
export type Sameness = 'same' | 'first' | 'failover' | 'restored';

/**
 * Compares two identities. An identity has three parts: the cluster, the database within the
 * cluster, and the timeline of the cluster. A restored dump has another cluster or another
 * database.
 */
export function compare(known: string | null, now: string, silentSeconds: number): Sameness {
  if (known === null) return 'first';
  if (known === now) return 'same';
  const withoutTimeline = (identity: string) => identity.replace(/ \S+$/, '');
  const isCluster = withoutTimeline(known) === withoutTimeline(now);
  return isCluster && silentSeconds <= LONGEST_FAILOVER_S ? 'failover' : 'restored';
}

/** The facts about a possible restore of this database. */
export interface Past {
  sameness: Sameness;
  /**
   * How long ago a worker last wrote that it is alive. Infinite before the first worker, and 0 if
   * the table has no row.
   */
  silentSeconds: number;
  /** Tasks and webhooks have been paused since this time. Null if nobody has paused them yet. */
  pausedAt: Date | null;
}

/**
 * Reads whether the database was restored, and since when its tasks have been paused. Workers and
 * commands both use this function. So a command gives the same answer as a worker, even before the
 * first worker starts. `MAY_HAVE_EFFECTS` makes the same decision in SQL. With `locks`, the facts
 * stay unchanged until the end of the transaction.
 */
export async function readPast(db: Database | Transaction, { locks = false } = {}): Promise<Past> {
  const rows = db
    .select({
      identity: installation.identity,
      here: sql<string>`database_identity()`,
      silent: sql<number | null>`extract(epoch from ${NOW} - ${installation.aliveAt})::float`,
      pausedAt: installation.pausedAt,
    })
    .from(installation);
  const [row] = await (locks ? rows.for('no key update') : rows);
  if (!row) return { sameness: 'same', silentSeconds: 0, pausedAt: null };
  const silentSeconds = row.silent ?? Number.POSITIVE_INFINITY;
  const sameness = compare(row.identity, row.here, silentSeconds);
  return { sameness, silentSeconds, pausedAt: row.pausedAt };
}

/**
 * Returns whether a person must decide what happens to the tasks. Until this decision, no task is
 * claimed and no webhook is made.
 */
export const isPaused = ({ pausedAt, sameness }: Past): boolean =>
  pausedAt !== null || sameness === 'restored';

/** How the schema of the database differs from the schema of this version. */
export interface SchemaState {
  /** The names of the migrations that this version has and the database lacks. */
  missing: string[];
  /** The number of migrations in the database that this version does not know. */
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

/** The message of a server that is too old for its database. */
export const TOO_OLD =
  'This version is too old for the database. Start the newer version again, or restore the backup ' +
  'from before the upgrade.';

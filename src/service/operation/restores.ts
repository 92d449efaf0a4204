import { and, eq, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import { MAY_HAVE_EFFECTS } from '../db/installation.ts';
import { installation, jobClaims } from '../db/schema.ts';
import { events } from '../outbox/tables.ts';
import { describe, PlainError } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { tasks } from '../queue/tables.ts';
import { pause } from '../waiting/backoff.ts';
import { unrelayed } from '../webhooks/tables.ts';
import { clearClaims } from './clearing.ts';

const LOOK_MS = 1_000;
/** How long to wait for a session that holds the jobs of old leases. */
const PATIENCE_MS = 60_000;
/** How often a worker writes that it is alive. */
const SIGN_OF_LIFE_S = 10;
/**
 * After a failover, the new primary has another timeline, and lacks at most the last seconds. A
 * restore to a point in time has another timeline too, and lacks more.
 */
const LONGEST_FAILOVER_S = 120;

/** The result when a worker compares this database with the database of the last living worker. */
export type Sameness = 'same' | 'first' | 'failover' | 'restored';

/**
 * An identity has three parts: the cluster, the database within it, and the timeline of the cluster.
 * A dump that is restored has another cluster or another database.
 */
export function compare(known: string | null, now: string, silentSeconds: number): Sameness {
  if (known === null) return 'first';
  if (known === now) return 'same';
  const withoutTimeline = (identity: string) => identity.replace(/ \S+$/, '');
  const isCluster = withoutTimeline(known) === withoutTimeline(now);
  return isCluster && silentSeconds <= LONGEST_FAILOVER_S ? 'failover' : 'restored';
}

/**
 * Compares, and writes the result. A restore pauses the tasks in the same transaction. Every worker
 * looks every second, so most looks only read.
 */
export async function lookForRestore(db: Database): Promise<Sameness> {
  const seen = await look(db);
  if (!seen.isWorthWriting) return seen.sameness;
  return db.transaction(async (tx) => {
    const { sameness, isWorthWriting } = await look(tx, sql`for no key update`);
    if (!isWorthWriting) return sameness;
    const paused = sameness === 'restored' ? { pausedAt: NOW } : {};
    await tx.update(installation).set({ ...ALIVE_HERE, ...paused });
    return sameness;
  });
}

const ALIVE_HERE = { identity: sql`database_identity()`, aliveAt: NOW };

async function look(db: Database | Transaction, lock = sql``) {
  const [row] = await db.execute<{ identity: string | null; now: string; silent: number | null }>(
    sql`select identity, database_identity() as now,
      extract(epoch from ${NOW} - alive_at)::float as silent
    from ${installation} ${lock}`,
  );
  if (!row) return { sameness: 'same' as const, isWorthWriting: false };
  const silent = row.silent ?? Number.POSITIVE_INFINITY;
  const sameness = compare(row.identity, row.now, silent);
  return { sameness, isWorthWriting: sameness !== 'same' || silent >= SIGN_OF_LIFE_S };
}

/** Looks again and again, until `stop` is called. */
export function watchForRestores(db: Database, log: Log) {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        if ((await lookForRestore(db)) === 'restored') log.error({ event: RESTORED });
      } catch (error) {
        // The worker reports an outage. The next look comes in a second.
        if (!stop.signal.aborted)
          log.info({ event: 'no look for a restore', error: describe(error) });
      }
      await pause(LOOK_MS, stop.signal);
    }
  };
  const running = run();
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}

const RESTORED =
  'the database was restored, so its tasks and webhooks are paused until npm run restored says what to do';

/** 1 while tasks and webhooks are paused, else 0. */
export async function readPause(db: Database): Promise<number> {
  const [row] = await db.execute<{ is: boolean }>(sql`select ${MAY_HAVE_EFFECTS} as is`);
  return row?.is === false ? 1 : 0;
}

/** What waits in a database whose tasks are paused. */
export interface Waiting {
  pausedAt: Date | null;
  /** Tasks that are not finished, and when the oldest was made. */
  tasks: number;
  oldestTask: Date | null;
  /** Changes of jobs that have no webhook yet, and when the oldest happened. */
  events: number;
  oldestEvent: Date | null;
}

export async function readWaiting(db: Database): Promise<Waiting> {
  const [paused] = await db.select({ at: installation.pausedAt }).from(installation);
  const [ofTasks] = await db
    .select({
      count: sql<number>`count(*)::int`,
      oldest: sql<Date | null>`min(${tasks.createdAt})`,
    })
    .from(tasks)
    .where(isNull(tasks.finishedAt));
  const [ofEvents] = await db
    .select({ count: sql<number>`count(*)::int`, oldest: sql<Date | null>`min(${events.at})` })
    .from(unrelayed)
    .innerJoin(events, eq(events.id, unrelayed.eventId));
  return {
    pausedAt: paused?.at ?? null,
    tasks: ofTasks?.count ?? 0,
    oldestTask: ofTasks?.oldest ?? null,
    events: ofEvents?.count ?? 0,
    oldestEvent: ofEvents?.oldest ?? null,
  };
}

/** Pauses tasks and webhooks, before a server starts on a database that it cannot recognize. */
export const pauseTasks = (db: Database) =>
  db.update(installation).set({ pausedAt: sql`coalesce(${installation.pausedAt}, ${NOW})` });

/** Lets tasks and webhooks go on. Everything that waits is sent. */
export const goOn = (db: Database | Transaction) =>
  db.update(installation).set({ pausedAt: null, ...ALIVE_HERE });

/**
 * Drops the tasks and the webhooks from before the pause, and lets the others go on. Returns how
 * many it dropped. Throws a `PlainError` if another session holds the jobs of old leases for long.
 */
export async function forget(
  db: Database,
  patienceMs = PATIENCE_MS,
): Promise<{ tasks: number; events: number }> {
  await pauseTasks(db);
  await expireOldLeases(db, patienceMs);
  return db.transaction(async (tx) => {
    const before = sql`(select ${installation.pausedAt} from ${installation})`;
    const dropped = await tx
      .update(tasks)
      .set({ finishedAt: NOW, ended: 'cancelled', leaseUntil: null, error: FORGOTTEN })
      .where(and(isNull(tasks.finishedAt), lte(tasks.createdAt, before)))
      .returning({ id: tasks.id });
    const told = await tx
      .delete(unrelayed)
      .where(sql`${unrelayed.eventId} in (${idsOfOldEvents(tx, before)})`)
      .returning({ id: unrelayed.eventId });
    await goOn(tx);
    return { tasks: dropped.length, events: told.length };
  });
}

const FORGOTTEN = 'dropped after a restore of the database';

/** A lease that ended before the pause is old too. But the event of its end is new. */
const idsOfOldEvents = (tx: Transaction, before: SQL) =>
  tx
    .select({ id: unrelayed.eventId })
    .from(unrelayed)
    .innerJoin(events, eq(events.id, unrelayed.eventId))
    .where(
      or(lte(events.at, before), and(eq(events.kind, 'expired'), lte(events.expiresAt, before))),
    );

/** Removes the claims whose leases ended before the pause. A running server may do the same. */
async function expireOldLeases(db: Database, patienceMs: number) {
  const old = lte(jobClaims.expiresAt, sql`(select ${installation.pausedAt} from ${installation})`);
  let lastRemoval = performance.now();
  while ((await db.select({ id: jobClaims.id }).from(jobClaims).where(old).limit(1)).length > 0) {
    if ((await clearClaims(db)) > 0) lastRemoval = performance.now();
    else if (performance.now() - lastRemoval > patienceMs) throw new PlainError(HELD_UP);
    else await pause(LOOK_MS / 10);
  }
}

const HELD_UP =
  'Some old leases cannot be removed, because another session holds their jobs. Nothing was dropped, ' +
  'and everything stays paused. End this session (see pg_stat_activity), and try again.';

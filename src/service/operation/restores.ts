import { and, eq, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { describe, PlainError } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { pause } from '../../platform/waiting/backoff.ts';
import { Bell } from '../../platform/waiting/bell.ts';
import {
  IS_INSTALLATION,
  isPaused,
  type Past,
  readPast,
  type Sameness,
} from '../database/installation.ts';
import { installation, jobClaims } from '../database/schema.ts';
import { events } from '../outbox/tables.ts';
import { tasks } from '../queue/tables.ts';
import { unrelayed } from '../webhooks/tables.ts';
import { clearClaims } from './clearing.ts';

const LOOK_MS = 1_000;
/** How long to wait for a session that has locked the jobs of old leases. */
const PATIENCE_MS = 60_000;
/** How often a worker writes into the database that it is alive. */
const SIGN_OF_LIFE = sql`interval '10 seconds'`;

/** Selects whether a worker should write into the database that it is alive here. */
export const IS_SIGN_DUE = sql`
  select ${installation.identity} is distinct from database_identity()
    or coalesce(${installation.aliveAt} <= ${NOW} - ${SIGN_OF_LIFE}, true)
  from ${installation} where ${IS_INSTALLATION}`;

/**
 * Compares the identity of this database with the identity that a worker wrote last, and writes the
 * new identity. After a restore, pauses tasks and webhooks in the same transaction.
 */
export const lookForRestore = (db: Database): Promise<Sameness> =>
  db.transaction(async (tx) => {
    const { sameness } = await readPast(tx, { locks: true });
    const paused = sameness === 'restored' ? { pausedAt: NOW } : {};
    await tx
      .update(installation)
      .set({ ...ALIVE_HERE, ...paused })
      .where(sql`(${IS_SIGN_DUE})`);
    return sameness;
  });

const ALIVE_HERE = { identity: sql`database_identity()`, aliveAt: NOW };

/** Checks for a restore each time the poller says that a sign is due, until `stop` is called. */
export function watchForRestores(
  db: Database,
  poller: { next(): Promise<{ isSignDue: boolean }> },
  log: Log,
) {
  const stop = new AbortController();
  const bell = new Bell();
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        await bell.ringsOr(async () => (await poller.next()).isSignDue);
        if (stop.signal.aborted) return;
        if ((await lookForRestore(db)) === 'restored') log.error({ event: RESTORED });
      } catch (error) {
        // The worker itself reports an outage of the database.
        if (!stop.signal.aborted)
          log.info({ event: 'no check for a restore', error: describe(error) });
        await pause(LOOK_MS, stop.signal);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stop.abort();
      bell.ring();
      await running;
    },
  };
}

const RESTORED =
  'the database was restored, so its tasks and webhooks are paused until npm run restored says what to do';

/** Returns 1 while tasks and webhooks are paused, else 0. */
export const readPause = async (db: Database): Promise<number> =>
  Number(isPaused(await readPast(db)));

/**
 * Returns a text that says since when or why tasks and webhooks are paused. Returns undefined if
 * nothing is paused.
 */
export function pauseInWords(past: Past): string | undefined {
  if (!isPaused(past)) return undefined;
  const { sameness, pausedAt } = past;
  return sameness === 'restored' || pausedAt === null
    ? 'paused, because the database was restored; no worker has started since'
    : `paused since ${pausedAt.toISOString()}`;
}

/** The tasks and events that wait in a database whose tasks are paused. */
export interface Waiting {
  past: Past;
  /** The number of unfinished tasks, and the time when the oldest of these tasks was made. */
  tasks: number;
  oldestTask: Date | null;
  /** The number of events that no relay has read, and the time of the oldest of these events. */
  events: number;
  oldestEvent: Date | null;
}

export async function readWaiting(db: Database): Promise<Waiting> {
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
    past: await readPast(db),
    tasks: ofTasks?.count ?? 0,
    oldestTask: ofTasks?.oldest ?? null,
    events: ofEvents?.count ?? 0,
    oldestEvent: ofEvents?.oldest ?? null,
  };
}

/**
 * Pauses tasks and webhooks. After a restore that a server cannot recognize, call this before the
 * server starts. If the restore can be recognized, the pause begins now, even if the backup
 * contains an earlier pause.
 */
export async function pauseTasks(db: Database) {
  await lookForRestore(db);
  await db.update(installation).set({ pausedAt: sql`coalesce(${installation.pausedAt}, ${NOW})` });
}

/** Ends the pause of tasks and webhooks. Workers then send everything that waits. */
export const goOn = (db: Database | Transaction) =>
  db.update(installation).set({ pausedAt: null, ...ALIVE_HERE });

/**
 * Drops the tasks and the webhooks from before the pause, and ends the pause for later tasks and
 * webhooks. Returns how many tasks and events it dropped. Throws a `PlainError` if another session
 * locks the jobs of old leases for longer than `patienceMs`.
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

/**
 * Selects the ids of events from before the pause. If a lease ended before the pause, the event of
 * its end counts as old. The event counts as old even if it was written after the pause began.
 */
const idsOfOldEvents = (tx: Transaction, before: SQL) =>
  tx
    .select({ id: unrelayed.eventId })
    .from(unrelayed)
    .innerJoin(events, eq(events.id, unrelayed.eventId))
    .where(
      or(
        lte(events.at, before),
        and(inArray(events.kind, ['expired', 'lapsed']), lte(events.expiresAt, before)),
      ),
    );

/**
 * Removes the claims whose leases ended before the pause. A running server may remove such claims
 * at the same time.
 */
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

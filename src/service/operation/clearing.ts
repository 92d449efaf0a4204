import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { isNothingDone } from '../../platform/db/sqlstate.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { pause } from '../../platform/waiting/backoff.ts';
import { expireClaims, offerIdleSlots } from '../claims/claim.ts';
import { ANY_IDLE_SLOT } from '../claims/line.ts';
import { idempotencyKeys, jobClaims } from '../database/schema.ts';
import { removeExpiredKeys } from '../idempotency/queries.ts';
import { removeOldEvents } from '../outbox/clearing.ts';
import { clearTasks, clearWorkers } from '../queue/clear.ts';
import { removeOldDeliveries } from '../webhooks/deliveries/clear.ts';

export interface Clearing {
  /** Waits for the running transactions, and begins no new ones. */
  stop(): Promise<void>;
}

/**
 * The first half of the key of the advisory lock. Any number is possible, but every instance must
 * use the same number.
 */
export const CLEARING_LOCK = 7_203_555;
/**
 * The maximum number of rows that one transaction examines. With so few rows, a transaction takes
 * milliseconds.
 */
const BATCH = 500;
/**
 * How long a database may be busy before the log reports an outage. A shorter time is no failure,
 * because the next pass removes the rows.
 */
const LONGEST_BUSY_MS = 10_000;
/** The pause after a pass that a busy database refused. */
const BUSY_PAUSE_MS = 1_000;

/** A kind of rows that the cleanup removes when the rows are old enough. */
interface Clearable {
  /** The second half of the key of the advisory lock. */
  half: number;
  pauseMs: number;
  /**
   * Selects a row if any row is old enough. Frequent passes use this question, because it costs less
   * than a transaction. Without a question, each pass begins a transaction.
   */
  isAnyOld?: SQL;
  /**
   * Removes old rows, and returns how many old rows it found. If this number is `limit`, more old
   * rows may be left.
   */
  remove(tx: Transaction, limit: number): Promise<number>;
}

/**
 * Expired claims, and free slots of jobs with a line. The removal of an expired claim gives its slot
 * to the line. So another slot is free here only if plain SQL or a server of the version before has
 * freed it.
 */
const CLAIMS: Clearable = {
  half: 1,
  pauseMs: 1_000,
  // A text that begins with `select` runs outside of a transaction, also behind a pooler.
  isAnyOld: sql`
    select true where exists (
      select from ${jobClaims} where expires_at <= ${NOW} order by expires_at limit 1)
    or exists (${ANY_IDLE_SLOT})`,
  remove: async (tx, limit) =>
    Math.max(await expireClaims(tx, limit), await offerIdleSlots(tx, limit)),
};
/** Expired keys may stay for a while, because every reader of keys checks the time of expiry. */
const KEYS: Clearable = { half: 2, pauseMs: 60_000, remove: removeExpiredKeys };
/**
 * The cleanup of old events. Each pass must examine the newest event of every job that has not
 * changed for long. So the passes are rare.
 */
const oldEvents = (days: number): Clearable => ({
  half: 3,
  pauseMs: 600_000,
  remove: removeOldEvents(days),
});
const finishedTasks = (hours: number): Clearable => ({
  half: 4,
  pauseMs: 60_000,
  remove: (tx, limit) => clearTasks(tx, hours, limit),
});
const oldDeliveries = (days: number): Clearable => ({
  half: 6,
  pauseMs: 60_000,
  remove: removeOldDeliveries(days),
});
const WORKERS: Clearable = { half: 5, pauseMs: 60_000, remove: clearWorkers };

export interface Ages {
  /** How many hours a done or cancelled task is kept. */
  taskHours?: number | undefined;
  /** How many days an event and a delivery of a webhook are kept. */
  eventDays?: number | undefined;
}

/** Lists the kinds of rows that are removed when they are old enough. */
const clearablesOf = ({ eventDays = 30, taskHours = 24 }: Ages): Clearable[] => [
  CLAIMS,
  KEYS,
  oldEvents(eventDays),
  finishedTasks(taskHours),
  WORKERS,
  oldDeliveries(eventDays),
];

/**
 * Removes old rows again and again, until `stop` is called. Old rows are expired claims and
 * idempotency keys, old events and deliveries, finished tasks and stopped workers.
 */
export function startClearing(db: Database, log: Log, ages: Ages = {}): Clearing {
  const stop = new AbortController();
  const running = clearablesOf(ages).map((each) => repeat(each, db, log, stop.signal));
  return {
    async stop() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(rows: Clearable, db: Database, log: Log, stop: AbortSignal) {
  let failingSince: number | undefined;
  let isLogged = false;
  while (!stop.aborted) {
    let pauseMs = rows.pauseMs;
    try {
      const found = await clear(rows, db);
      failingSince = undefined;
      isLogged = false;
      if (found === BATCH) continue;
    } catch (error) {
      const isBusy = isNothingDone(error);
      if (isBusy) pauseMs = Math.min(pauseMs, BUSY_PAUSE_MS);
      failingSince ??= performance.now();
      const isOutage = !isBusy || performance.now() - failingSince > LONGEST_BUSY_MS;
      // We log one line for each outage, not one line a second. After a stop, errors are expected,
      // because the connections are closed.
      if (isOutage && !isLogged && !stop.aborted) {
        log.error({ event: 'clearing failed', error: describe(error) });
        isLogged = true;
      }
    }
    await pause(pauseMs, stop);
  }
}

/**
 * Removes up to `BATCH` expired claims, and returns how many it removed. Returns 0 while another
 * instance does the same.
 */
export const clearClaims = (db: Database): Promise<number> => clear(CLAIMS, db);
/**
 * Removes up to `BATCH` expired idempotency keys, and returns how many it removed. Returns 0 while
 * another instance does the same.
 */
export const clearKeys = (db: Database): Promise<number> => clear(KEYS, db);

/** Removes all rows that are old enough. Skips rows that another instance is removing. */
export async function clearAll(db: Database, ages: Ages = {}) {
  for (const each of clearablesOf(ages)) while ((await clear(each, db)) === BATCH);
}

/**
 * Finds the expired claim or idempotency key that has been waiting longest for its removal. Returns
 * how many seconds ago this row expired, or 0 if no such row exists.
 */
export async function readClearingLag(db: Database): Promise<number> {
  const [row] = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from ${NOW} - least(
      (select min(expires_at) from ${jobClaims}),
      (select min(expires_at) from ${idempotencyKeys})))::float as seconds`);
  return Math.max(0, row?.seconds ?? 0);
}

async function clear({ half, isAnyOld, remove }: Clearable, db: Database): Promise<number> {
  if (isAnyOld && (await db.execute(isAnyOld)).length === 0) return 0;
  return db.transaction(async (tx) => {
    const [lock] = await tx.execute(
      sql`SELECT pg_try_advisory_xact_lock(${CLEARING_LOCK}::int, ${half}::int) AS ours`,
    );
    return lock?.ours ? remove(tx, BATCH) : 0;
  });
}

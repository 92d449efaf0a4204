import { sql } from 'drizzle-orm';
import { expireClaims } from '../claims/expire.ts';
import { type Door, inTransaction } from '../claims/slots.ts';
import type { Transaction } from '../db/client.ts';
import { removeExpiredKeys } from '../http/idempotency/queries.ts';
import { describe } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { pause } from '../waiting/backoff.ts';

export interface Clearing {
  /** Waits for the running transactions, and begins no new ones. */
  stop(): Promise<void>;
}

/**
 * The first half of the advisory lock. Any number is possible, but every instance must use the same
 * number.
 */
export const CLEARING_LOCK = 7_203_555;
/**
 * The most rows that one transaction removes. With so few rows, a transaction takes milliseconds.
 */
const BATCH = 500;

/** `half` is the second half of the advisory lock. */
const CLAIMS = { half: 1, pauseMs: 1_000, remove: expireClaims };
/** Expired keys may stay for a while, because every reader of keys checks the time of expiry. */
const KEYS = {
  half: 2,
  pauseMs: 60_000,
  remove: ({ db }: Door<Transaction>, limit: number) => removeExpiredKeys(db, limit),
};

/** Removes expired claims and idempotency keys again and again, until `stop` is called. */
export function startClearing(door: Door, log: Log): Clearing {
  const stop = new AbortController();
  const running = [CLAIMS, KEYS].map((kind) => repeat(kind, door, log, stop.signal));
  return {
    async stop() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

interface Kind {
  half: number;
  pauseMs: number;
  remove(within: Door<Transaction>, limit: number): Promise<number>;
}

async function repeat(kind: Kind, door: Door, log: Log, stop: AbortSignal) {
  let failing = false;
  while (!stop.aborted) {
    try {
      const removed = await clear(kind, door);
      failing = false;
      if (removed === BATCH) continue;
    } catch (error) {
      // We log one line for each outage, not one line a second. After a stop, errors are expected,
      // because the connections are closed.
      if (!failing && !stop.aborted)
        log.error({ event: 'clearing failed', error: describe(error) });
      failing = true;
    }
    await pause(kind.pauseMs, stop);
  }
}

/**
 * Removes up to `BATCH` expired claims, and returns how many it removed. Returns 0 while another
 * instance is clearing.
 */
export const clearClaims = (door: Door): Promise<number> => clear(CLAIMS, door);
/**
 * Removes up to `BATCH` expired idempotency keys, and returns how many it removed. Returns 0 while
 * another instance is clearing.
 */
export const clearKeys = (door: Door): Promise<number> => clear(KEYS, door);

/**
 * Removes all expired claims and keys. Skips the claims or the keys while another instance is
 * clearing them.
 */
export async function clearAll(door: Door) {
  for (const kind of [CLAIMS, KEYS]) while ((await clear(kind, door)) === BATCH);
}

const clear = ({ half, remove }: Kind, door: Door): Promise<number> =>
  inTransaction(door, async (within) => {
    const [lock] = await within.db.execute(
      sql`SELECT pg_try_advisory_xact_lock(${CLEARING_LOCK}::int, ${half}::int) AS ours`,
    );
    return lock?.ours ? remove(within, BATCH) : 0;
  });

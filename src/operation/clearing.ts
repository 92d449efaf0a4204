import { sql } from 'drizzle-orm';
import { expireClaims } from '../claims/expire.ts';
import { type Door, inTransaction } from '../claims/slots.ts';
import type { Transaction } from '../db/client.ts';
import { removeExpiredKeys } from '../http/idempotency/queries.ts';
import { describe } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { pause } from '../waiting/backoff.ts';

export interface Clearing {
  /** Waits for the running transaction, and begins no other. */
  stop(): Promise<void>;
}

/** Any number will do, if every instance takes the same number. */
export const CLEARING_LOCK = 7_203_555;
/** So few rows at a time that a transaction takes milliseconds. */
const BATCH = 500;

/** `half` is the second half of the advisory lock. */
const CLAIMS = { half: 1, pauseMs: 1_000, remove: expireClaims };
/** Nobody waits for an expired key to go: every reader of keys looks at the clock. */
const KEYS = {
  half: 2,
  pauseMs: 60_000,
  remove: ({ db }: Door<Transaction>, limit: number) => removeExpiredKeys(db, limit),
};

/** Clears away expired claims and idempotency keys until it is stopped. */
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
      // One line for each outage, not one a second. After a stop an error is expected: the stop closes
      // the connections.
      if (!failing && !stop.aborted)
        log.error({ event: 'clearing failed', error: describe(error) });
      failing = true;
    }
    await pause(kind.pauseMs, stop);
  }
}

/** Removes a batch of expired claims, and says how many. 0 while another instance is clearing. */
export const clearClaims = (door: Door): Promise<number> => clear(CLAIMS, door);
/** Does the same with idempotency keys. */
export const clearKeys = (door: Door): Promise<number> => clear(KEYS, door);

/** Removes all expired claims and keys, or leaves them to another instance that is clearing. */
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

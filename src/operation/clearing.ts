import { sql } from 'drizzle-orm';
import { expireClaims } from '../claims/expire.ts';
import { type Door, inTransaction } from '../claims/slots.ts';
import type { Transaction } from '../db/client.ts';
import { removeExpiredKeys } from '../http/idempotency/queries.ts';
import { describe } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { pause } from '../waiting/backoff.ts';

export interface Clearing {
  /** Lets what runs end, and begins nothing more. */
  stop(): Promise<void>;
}

/** Any number will do, as long as every instance takes the same one. */
export const CLEARING_LOCK = 7_203_555;
/** Few enough that a transaction is over in milliseconds. */
const BATCH = 500;

/** What is cleared, how often, and the second half of its advisory lock. */
const CLAIMS = { half: 1, pauseMs: 1_000, remove: expireClaims };
/** Nobody waits for the end of a key: it is judged by the clock where it matters. */
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
      // Once, and not each second that the database is away. A stop ends what waits for a connection.
      if (!failing && !stop.aborted)
        log.error({ event: 'clearing failed', error: describe(error) });
      failing = true;
    }
    await pause(kind.pauseMs, stop);
  }
}

/** Removes a batch of expired claims; 0 too while another instance is at it. */
export const clearClaims = (door: Door): Promise<number> => clear(CLAIMS, door);
/** The same of idempotency keys. */
export const clearKeys = (door: Door): Promise<number> => clear(KEYS, door);

/** Removes all that has expired, however much; what another instance is at is left to it. */
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

import postgres from 'postgres';
import { expect, vi } from 'vitest';

/** A second session, which holds a lock until the work has ended. */
export interface Holder {
  /** The transaction of this session. */
  tx: postgres.TransactionSql;
  /** Resolves when `count` sessions (default 1) wait for a lock of the holder. */
  untilWaitedFor(count?: number): Promise<void>;
  /**
   * Resolves when `count` sessions of the database wait for locks, of the holder or of any session.
   */
  untilWaiting(count: number): Promise<void>;
}

type Work<T> = (holder: Holder) => T | Promise<T>;

/**
 * Runs `work` while a second session holds the lock of a job's row. The session releases the lock
 * when the work has ended. To keep a promise open beyond the end of the work, return the promise
 * inside an object.
 */
export const whileHeld = <T>(databaseUrl: string, jobId: number | bigint, work: Work<T>) =>
  whileLocked(databaseUrl, `SELECT FROM jobs WHERE id = ${jobId} FOR UPDATE`, work);

/** Returns a statement that locks all other sessions out of the table. */
export const lockOf = (table: string) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`;

/** Runs `work` while a second session holds the locks that `statement` takes. */
export async function whileLocked<T>(
  databaseUrl: string,
  statement: string,
  work: Work<T>,
): Promise<T> {
  const holder = postgres(databaseUrl, { max: 1 });
  const observer = postgres(databaseUrl, { max: 1 });
  try {
    // A waiting claim gives up after a second. So the observer connects before the claim waits.
    await observer`SELECT 1`;
    const { result } = await holder.begin(async (tx) => {
      const [{ pid } = {}] = await tx`SELECT pg_backend_pid() AS pid`;
      await tx.unsafe(statement);
      const holding: Holder = {
        tx,
        untilWaitedFor: (count) => untilWaitedFor(pid, observer, count),
        untilWaiting: (count) => untilWaiting(observer, count),
      };
      // `begin` awaits a promise that it gets as the result, but not a promise inside an object.
      return { result: await work(holding) };
    });
    return result as T;
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}

/** Resolves when `count` sessions wait for locks of the session with this process id. */
export const untilWaitedFor = (pid: number, observer: postgres.Sql, count = 1): Promise<void> =>
  untilThere(
    count,
    () => observer`
      SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND ${pid} = ANY (pg_blocking_pids(pid))`,
  );

/** Resolves when `count` sessions of the database wait for locks. */
const untilWaiting = (observer: postgres.Sql, count: number): Promise<void> =>
  untilThere(
    count,
    () => observer`
      SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
  );

/** Resolves when the query returns `count` rows. One query costs about 0.3 ms. */
const untilThere = (count: number, look: () => Promise<readonly unknown[]>): Promise<void> =>
  vi.waitFor(async () => expect(await look()).toHaveLength(count), {
    timeout: 20_000,
    interval: 5,
  });

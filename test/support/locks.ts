import postgres from 'postgres';
import { expect, vi } from 'vitest';

/** Another session, which holds a lock until the work is done. */
export interface Holder {
  /** Its transaction. */
  tx: postgres.TransactionSql;
  /** Resolves once so many sessions wait for a lock of the holder. */
  untilWaitedFor(count?: number): Promise<void>;
}

type Work<T> = (holder: Holder) => T | Promise<T>;

/**
 * Does the work while another session holds the row of a job. The job is free once the work is done.
 * Work that gives back a promise in an object leaves the promise to be awaited later.
 */
export const whileHeld = <T>(databaseUrl: string, jobId: number | bigint, work: Work<T>) =>
  whileLocked(databaseUrl, `SELECT FROM jobs WHERE id = ${jobId} FOR UPDATE`, work);

/** The same with any lock, which the statement takes. */
export async function whileLocked<T>(
  databaseUrl: string,
  statement: string,
  work: Work<T>,
): Promise<T> {
  const holder = postgres(databaseUrl, { max: 1 });
  const observer = postgres(databaseUrl, { max: 1 });
  try {
    const { result } = await holder.begin(async (tx) => {
      const [{ pid } = {}] = await tx`SELECT pg_backend_pid() AS pid`;
      await tx.unsafe(statement);
      const untilWaited = (count?: number) => untilWaitedFor(pid, observer, count);
      // In an object, since `begin` awaits a promise that it is given.
      return { result: await work({ tx, untilWaitedFor: untilWaited }) };
    });
    return result as T;
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}

/** Resolves once a session, or so many, wait for a lock that the one of this process id holds. */
export const untilWaitedFor = (pid: number, observer: postgres.Sql, count = 1): Promise<void> =>
  vi.waitFor(
    async () => {
      const waiting = await observer`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND ${pid} = ANY (pg_blocking_pids(pid))`;
      expect(waiting).toHaveLength(count);
    },
    { timeout: 20_000 },
  );

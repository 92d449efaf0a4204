import type postgres from 'postgres';
import { expect, vi } from 'vitest';

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

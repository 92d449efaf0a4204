import type postgres from 'postgres';
import { pause } from '../../src/platform/waiting/backoff.ts';
import { onDatabase } from './audit.ts';

/** The pause between an error and the next connection. */
const LOST_MS = 200;

/**
 * Runs a step again and again on one connection. After an error, for example because PostgreSQL has
 * ended, the next step gets a new connection.
 */
export async function again(
  databaseUrl: string,
  over: AbortSignal,
  step: (sql: postgres.Sql) => Promise<void>,
) {
  while (!over.aborted) {
    const steps = onDatabase(databaseUrl, async (sql) => {
      while (!over.aborted) await step(sql);
    });
    await steps.catch(() => pause(LOST_MS, over));
  }
}

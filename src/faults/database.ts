import { type DurablePostgres, startDurable } from '../db/durable.ts';

/** A PostgreSQL for the faults; with `restart` where it is our own. */
export type FaultyPostgres = Omit<DurablePostgres, 'restart'> & Partial<DurablePostgres>;

/** The server at this address, which is somebody's and is never stopped; or one of our own. */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startDurable(signal)
    : { url: databaseUrl, stop: async () => {} };
}

import { type EmbeddedPostgres, startEmbedded } from '../db/embedded.ts';

/** A PostgreSQL for the faults; with `restart` where it is our own. */
export type FaultyPostgres = Pick<EmbeddedPostgres, 'url' | 'stop'> &
  Partial<Pick<EmbeddedPostgres, 'restart'>>;

/** The server at this address, which is somebody's and is never stopped; or one of our own. */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startEmbedded(undefined, signal, { durable: true })
    : { url: databaseUrl, stop: async () => {} };
}

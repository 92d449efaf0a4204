import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts';
import { Pair } from './pair.ts';

/** The PostgreSQL that faults are made on. Only a server of our own has `restart` or `pair`. */
export type FaultyPostgres = Pick<EmbeddedPostgres, 'url' | 'stop'> &
  Partial<Pick<EmbeddedPostgres, 'restart'>> & { pair?: Pair };

/**
 * Without an address, starts a PostgreSQL server of our own. With an address, returns the server at
 * this address. That server is never stopped.
 */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startEmbedded(undefined, signal, { durable: true })
    : { url: databaseUrl, stop: async () => {} };
}

/** Starts two PostgreSQL servers of our own. The second server is a standby of the first. */
export async function openPair(signal: AbortSignal): Promise<FaultyPostgres> {
  const pair = await Pair.open(signal);
  return { url: pair.url, pair, stop: () => pair.stop() };
}

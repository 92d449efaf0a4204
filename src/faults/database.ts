import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts';
import { Pair } from './pair.ts';

/** A PostgreSQL for the faults. Only our own servers have `restart` or are a pair. */
export type FaultyPostgres = Pick<EmbeddedPostgres, 'url' | 'stop'> &
  Partial<Pick<EmbeddedPostgres, 'restart'>> & { pair?: Pair };

/**
 * Gives the server at this address, which is never stopped. Without an address, starts a server of
 * our own.
 */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startEmbedded(undefined, signal, { durable: true })
    : { url: databaseUrl, stop: async () => {} };
}

/** Starts two servers of our own. The second is a standby of the first. */
export async function openPair(signal: AbortSignal): Promise<FaultyPostgres> {
  const pair = await Pair.open(signal);
  return { url: pair.url, pair, stop: () => pair.stop() };
}

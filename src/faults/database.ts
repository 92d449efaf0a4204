import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts';
import { Pair } from './pair.ts';

/** A PostgreSQL for the faults. Only a server of our own has `restart`, or is a pair. */
export type FaultyPostgres = Pick<EmbeddedPostgres, 'url' | 'stop'> &
  Partial<Pick<EmbeddedPostgres, 'restart'>> & { pair?: Pair };

/** The server at this address, which is somebody's and is never stopped; or one of our own. */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startEmbedded(undefined, signal, { durable: true })
    : { url: databaseUrl, stop: async () => {} };
}

/** Two servers of our own, the second a standby of the first. */
export async function openPair(signal: AbortSignal): Promise<FaultyPostgres> {
  const pair = await Pair.open(signal);
  return { url: pair.url, pair, stop: () => pair.stop() };
}

import { type EmbeddedPostgres, startEmbedded } from '../../src/platform/postgres/embedded.ts';
import { Pair } from './pair.ts';
import { Cluster } from './patroni/cluster.ts';

/** The PostgreSQL that the faults hit. Only servers that we started can restart or fail over. */
export type FaultyPostgres = Pick<EmbeddedPostgres, 'url' | 'stop'> &
  Partial<Pick<EmbeddedPostgres, 'restart'>> & { pair?: Pair; cluster?: Cluster };

/**
 * Without an address, starts a PostgreSQL server of our own. With an address, returns the server at
 * this address. `stop` does not stop a server that was given by its address.
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
export async function openPair(
  signal: AbortSignal,
  through: 'hosts' | 'balancer',
): Promise<FaultyPostgres> {
  const pair = await Pair.open(signal);
  return { url: through === 'hosts' ? pair.hostsUrl : pair.url, pair, stop: () => pair.stop() };
}

/** Starts three nodes of Patroni on this machine. */
export async function openCluster(
  signal: AbortSignal,
  through: 'hosts' | 'balancer',
): Promise<FaultyPostgres> {
  const cluster = await Cluster.open(signal);
  const url = through === 'hosts' ? cluster.url : cluster.balancedUrl;
  return { url, cluster, stop: () => cluster.stop() };
}

import { DEFAULT_CAPACITY } from '../../src/service/claims/rules.ts';
import type { Arena } from './arena.ts';
import { expectClaims, figuresOf } from './check.ts';
import type { Asks } from './load/asks.ts';
import type { Heard } from './load/load.ts';
import type { Measure } from './measure.ts';
import type { Server, Side } from './processes.ts';
import type { FiguresByName, Measurement } from './rounds.ts';
import { clearClaims } from './seed.ts';

/** The number of connections of a crowd. Each connection sends one request at a time. */
export const CONNECTIONS = 256;
/** The number of jobs in each database. The jobs have no claims at the beginning. */
export const FREE_JOBS = 100_000;
export interface BenchSettings {
  rounds: number;
  /** The length of each measurement in seconds. */
  seconds: number;
  onProgress: (text: string) => void;
}

/** One side of the comparison, with its server and its database. */
export interface SideServer {
  side: Side;
  url: string;
  server: Server;
}

/** The settings, servers and databases that all scenarios share. */
export interface Stand extends BenchSettings {
  arena: Arena;
  textbook: SideServer;
  group: SideServer;
  /** The address of a database with the same rows, for claims by `pgbench` without a server. */
  without: string;
}

/** The result of a scenario: its medians, and the figures of each round. */
export interface Found {
  measures: Measure[];
  rounds: FiguresByName<string>;
  notes?: string[];
}

export type Scenario = (stand: Stand) => Promise<Found>;

/**
 * Starts both servers on copies of one database. Therefore their databases have the same rows,
 * pages and statistics.
 */
export async function makeStand(arena: Arena, settings: BenchSettings): Promise<Stand> {
  settings.onProgress('seeding');
  const without = await arena.makeDatabase('bench', { fullJobs: 0, freeJobs: FREE_JOBS });
  const place = async (side: Side): Promise<SideServer> => {
    const url = await arena.copyDatabase(side, without);
    return { side, url, server: await arena.startServer(side, url) };
  };
  return {
    ...settings,
    arena,
    without,
    textbook: await place('textbook'),
    group: await place('group'),
  };
}

/** Removes all claims. Then makes the crowds send requests for `seconds`. */
export async function crowdsAt(
  { arena, seconds }: Stand,
  { server, url }: SideServer,
  crowds: Asks[],
  connections = CONNECTIONS,
): Promise<Heard[]> {
  await clearClaims(url);
  return arena.makeLoad({
    origins: [server.origin],
    seconds,
    crowds: crowds.map((asks) => ({ asks, connections })),
  });
}

export const spreadClaims = {
  kind: 'spread',
  firstJob: 1,
  jobs: FREE_JOBS,
  slots: DEFAULT_CAPACITY,
} satisfies Asks;

/** Measures claims on free slots. The service must grant all of them. */
export const measureSpread =
  (stand: Stand, server: SideServer, connections = CONNECTIONS): Measurement =>
  async () => {
    const what = `spread claims, ${server.side}`;
    const [heard] = await crowdsAt(stand, server, [spreadClaims], connections);
    await expectClaims(what, server.url, heard?.statuses[200] ?? 0);
    return figuresOf(what, heard as Heard, 200);
  };

/**
 * Measures `GET /healthz`, the cheapest answer of the product's server. Claims cannot be faster.
 */
export const measureHealth = (stand: Stand, connections = CONNECTIONS): Measurement => {
  const asks: Asks = { kind: 'path', path: '/healthz' };
  return async () => {
    const [heard] = await crowdsAt(stand, stand.group, [asks], connections);
    return figuresOf('GET /healthz', heard as Heard, 200);
  };
};

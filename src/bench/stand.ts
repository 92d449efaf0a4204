import { DEFAULT_CAPACITY } from '../claims/rules.ts';
import type { Arena } from './arena.ts';
import { expectClaims, figuresOf } from './check.ts';
import type { Asks } from './load/asks.ts';
import type { Heard } from './load/load.ts';
import type { Measure } from './measure.ts';
import type { Server, Side } from './processes.ts';
import type { Taken, Taking } from './rounds.ts';
import { clearClaims } from './seed.ts';

/** Connections of a crowd: each has one request on its way. */
export const CONNECTIONS = 256;
/** Jobs without a claim that the two sides have alike. */
export const FREE_JOBS = 100_000;
export interface BenchSettings {
  rounds: number;
  /** How long each taking lasts. */
  seconds: number;
  onProgress: (text: string) => void;
}

/** A side of the comparison: its server, over a database of its own. */
export interface Place {
  side: Side;
  url: string;
  server: Server;
}

/** What the scenarios share. */
export interface Stand extends BenchSettings {
  arena: Arena;
  textbook: Place;
  group: Place;
  /** A database with the same rows, for claims that come by no server. */
  without: string;
}

/** What a scenario gives: its medians, and the figures of each round. */
export interface Found {
  measures: Measure[];
  rounds: Taken<string>;
  notes?: string[];
}

export type Scenario = (stand: Stand) => Promise<Found>;

/** Both servers over copies of one database, so that rows, pages and statistics are alike. */
export async function makeStand(arena: Arena, settings: BenchSettings): Promise<Stand> {
  settings.onProgress('seeding');
  const without = await arena.makeDatabase('bench', { fullJobs: 0, freeJobs: FREE_JOBS });
  const place = async (side: Side): Promise<Place> => {
    const url = await arena.copyDatabase(side, without);
    return { side, url, server: await arena.startServer(side, url) };
  };
  return {
    ...settings,
    ...{ arena, without },
    textbook: await place('textbook'),
    group: await place('group'),
  };
}

/** Lets crowds ask for so long, of a table without claims. */
export async function crowdsAt(
  { arena, seconds }: Stand,
  { server, url }: Place,
  crowds: Asks[],
  connections = CONNECTIONS,
): Promise<Heard[]> {
  await clearClaims(url);
  return arena.makeLoad({
    origin: server.origin,
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

/** Each request is a claim on a free slot, and is granted. */
export const takeSpread =
  (stand: Stand, place: Place, connections = CONNECTIONS): Taking =>
  async () => {
    const what = `spread claims, ${place.side}`;
    const [heard] = await crowdsAt(stand, place, [spreadClaims], connections);
    await expectClaims(what, place.url, heard?.statuses[200] ?? 0);
    return figuresOf(what, heard as Heard, 200);
  };

/** The ceiling: the least that the product's server can do for an answer. */
export const takeHealth = (stand: Stand, connections = CONNECTIONS): Taking => {
  const asks: Asks = { kind: 'path', path: '/healthz' };
  return async () => {
    const [heard] = await crowdsAt(stand, stand.group, [asks], connections);
    return figuresOf('GET /healthz', heard as Heard, 200);
  };
};

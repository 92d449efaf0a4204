import { DEFAULT_CAPACITY } from '../../../src/service/claims/rules.ts';
import { expectClaims, figuresOf } from '../check.ts';
import type { Heard } from '../load/load.ts';
import { alone, compare } from '../measure.ts';
import type { Server } from '../processes.ts';
import type { Figures, Measurement } from '../rounds.ts';
import { clearClaims } from '../seed.ts';
import type { Scenario, Stand } from '../stand.ts';
import { inTurn, rateIn } from './scenarios.ts';

/** The number of jobs. A stream can follow at most 10,000 jobs. */
export const JOBS = 6_000;
const FOLLOWERS = [0, 100, 400, 1_000];
const CLAIMERS = 4;
/**
 * The number of timed claims in a measurement. The time runs until the last follower has the event.
 * The load claims other jobs.
 */
const TIMED = 25;
const TOLD_MS = 250;

/** Servers on one database with the jobs. */
export interface Board {
  url: string;
  servers: Server[];
}

/** (f) Measures the claims of a few clients while many clients follow all jobs. */
export const followers: Scenario = async (stand) => {
  if (process.platform !== 'linux')
    return { measures: [], rounds: {}, notes: ['followers are measured on Linux only'] };
  const url = await stand.arena.makeDatabase('followed', { fullJobs: 0, freeJobs: JOBS });
  const server = await stand.arena.startServer('group', url);
  const board = { url, servers: [server] };
  const measurements = FOLLOWERS.map((count) => [
    nameOf(count),
    measureFollowed(stand, board, count),
  ]);
  const rounds = await inTurn(stand, 'followers', Object.fromEntries(measurements));
  await server.stop();

  const rate = rateIn(rounds);
  const many = FOLLOWERS.slice(1).map(nameOf);
  const most = many.at(-1) ?? '';
  return {
    rounds,
    measures: [
      ...many.map((name) =>
        compare(
          `claims of ${CLAIMERS} clients`,
          'claims/s',
          rate(name),
          rate(nameOf(0)),
          name === most ? { at: 'least', limit: 0.7 } : undefined,
        ),
      ),
      alone(
        'from the answer until the last follower is told, at worst',
        'ms',
        { name: most, value: worst(rounds[most] ?? [], 'toldMs') },
        { at: 'most', limit: TOLD_MS },
      ),
    ],
  };
};

export const nameOf = (count: number): string => `${count.toLocaleString('en')} followers`;

const worst = (rounds: Figures[], figure: string): number =>
  Math.max(...rounds.map((figures) => figures[figure] ?? Number.NaN));

export const measureFollowed =
  ({ arena, seconds }: Stand, { url, servers }: Board, count: number): Measurement =>
  async () => {
    const what = `claims with ${nameOf(count)}`;
    const origins = servers.map(({ origin }) => origin);
    await clearClaims(url);
    await arena.follow({ kind: 'follow', origins, followers: count });
    const jobs = JOBS - TIMED;
    const asks = { kind: 'spread', firstJob: 1, jobs, slots: DEFAULT_CAPACITY } as const;
    const timed = Array.from({ length: TIMED }, (_, n) => JOBS - n);
    const [[heard], toldMs] = await Promise.all([
      arena.makeLoad({ origins, seconds, crowds: [{ asks, connections: CLAIMERS }] }),
      arena.follow({ kind: 'claim', jobs: timed, seconds }),
    ]);
    await arena.follow({ kind: 'leave' });
    for (const origin of origins) await noneFollow(origin);
    await expectClaims(what, url, (heard?.statuses[200] ?? 0) + toldMs.length);
    return { ...figuresOf(what, heard as Heard, 200), toldMs: Math.max(...toldMs) };
  };

/** Resolves when the server has noticed that all followers have left. */
async function noneFollow(origin: string) {
  for (;;) {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    if (/^rowlock_followers 0$/m.test(metrics)) return;
  }
}

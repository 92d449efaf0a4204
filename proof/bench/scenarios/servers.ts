import type postgres from 'postgres';
import { pause } from '../../../src/platform/waiting/backoff.ts';
import { expectClaims, figuresOf } from '../check.ts';
import type { Asks } from '../load/asks.ts';
import type { Heard } from '../load/load.ts';
import { compare } from '../measure.ts';
import type { Server } from '../processes.ts';
import { type ProcessorTimes, readProcessorTimes, timeBetween } from '../processor-time.ts';
import { type Figures, type Measurement, median } from '../rounds.ts';
import { clearClaims, withConnection } from '../seed.ts';
import { CONNECTIONS, type Scenario, type Stand, spreadClaims } from '../stand.ts';
import { JOBS, measureFollowed, nameOf } from './followers.ts';
import { HOT_JOB, inTurn, rateIn } from './scenarios.ts';

/** The number of followers of each server. */
const FOLLOWERS = 1_000;
/** The time between two counts of the sessions that wait for a lock. */
const LOOK_MS = 50;

/** A setting in the address. With this setting, commits do not wait for the disk. */
const WITHOUT_WAIT = '?synchronous_commit=off';

interface Crowd {
  what: string;
  asks: Asks;
  /** The status of nearly all answers. */
  status: number;
}

const CROWDS: Crowd[] = [
  { what: 'spread', asks: spreadClaims, status: 200 },
  { what: 'hot', asks: { kind: 'one-job', jobId: HOT_JOB }, status: 403 },
];

/** Whether commits wait for the disk, and how many servers share the database. */
const COMMITS = [
  { commits: '', query: '', counts: [1, 2, 4] },
  { commits: ', no wait for the disk', query: WITHOUT_WAIT, counts: [1, 2] },
];

/** A company that has several servers lets separate processes do the tasks. */
const SETTINGS = { WORKERS: '0' };

/** (k) Compares two and four servers on one database with one server. */
export const servers: Scenario = async (stand) => {
  const { url } = stand.group;
  const measurements: Record<string, Measurement> = {};
  for (const { commits, query, counts } of COMMITS) {
    const all = await startServers(stand, `${url}${query}`, Math.max(...counts));
    for (const crowd of CROWDS)
      for (const count of counts)
        measurements[`${crowd.what}${commits}, ${nameOfServers(count)}`] = measure(
          ...[stand, all.slice(0, count), crowd],
        );
  }
  await addFollowed(stand, measurements);
  const rounds = await inTurn(stand, 'servers', measurements);
  const rate = rateIn(rounds);
  const alone = `, ${nameOfServers(1)}`;
  const several = Object.keys(measurements).filter((name) => !name.endsWith(alone));
  return {
    rounds,
    measures: several.map((name) => {
      const what = name.slice(0, name.lastIndexOf(', '));
      const unit = what.startsWith('hot') ? 'refusals/s' : 'claims/s';
      return compare(what, unit, rate(name), rate(`${what}${alone}`));
    }),
    notes: [
      'the servers of this scenario have WORKERS=0',
      ...Object.entries(rounds).flatMap(([name, figures]) => shareInWords(name, figures)),
    ],
  };
};

const nameOfServers = (count: number): string => (count === 1 ? '1 server' : `${count} servers`);

async function startServers({ arena }: Stand, url: string, count: number): Promise<Server[]> {
  const started: Server[] = [];
  while (started.length < count) started.push(await arena.startServer('group', url, SETTINGS));
  return started;
}

/** Adds measurements with followers, on one server and on each of two servers. Needs Linux. */
async function addFollowed(stand: Stand, measurements: Record<string, Measurement>) {
  if (process.platform !== 'linux') return;
  const url = await stand.arena.makeDatabase('servers', { fullJobs: 0, freeJobs: JOBS });
  const both = await startServers(stand, url, 2);
  for (const count of [1, 2]) {
    const board = { url, servers: both.slice(0, count) };
    const what = `claims of four clients, ${nameOf(FOLLOWERS)} a server`;
    measurements[`${what}, ${nameOfServers(count)}`] = measureFollowed(
      ...[stand, board, count * FOLLOWERS],
    );
  }
}

const measure =
  ({ arena, seconds, group }: Stand, of: Server[], { what, asks, status }: Crowd): Measurement =>
  async () => {
    const origins = of.map(({ origin }) => origin);
    await clearClaims(group.url);
    const crowds = [{ asks, connections: CONNECTIONS }];
    const { heard, share } = await withShare(group.url, origins, async () => {
      const [only] = await arena.makeLoad({ origins, seconds, crowds });
      if (!only) throw new Error('there was no crowd');
      return only;
    });
    const granted = heard.statuses[200] ?? 0;
    await expectClaims(`${what}, ${nameOfServers(of.length)}`, group.url, granted);
    // The few granted claims of the hot job do not count, because they are no refusals.
    const statuses = status === 200 ? heard.statuses : { ...heard.statuses, 200: 0 };
    return { ...figuresOf(what, { ...heard, statuses }, status), ...share };
  };

/** What the servers and the database have done until now. */
interface Look {
  locks: number;
  transactions: number;
  walBytes: number;
  /** The processor time of the servers, in microseconds. */
  serversUs: number;
  postgres: ProcessorTimes | undefined;
}

/** The work for one answer, and the average number of sessions that waited for a lock. */
function perAnswer(before: Look, after: Look, answers: number, waits: number[]): Figures {
  const each = (work: number) => work / answers;
  return {
    locks: each(after.locks - before.locks),
    transactions: each(after.transactions - before.transactions),
    walBytes: each(after.walBytes - before.walBytes),
    serversUs: each(after.serversUs - before.serversUs),
    ...(before.postgres &&
      after.postgres && { postgresUs: each(timeBetween(before.postgres, after.postgres)) }),
    waiting: waits.reduce((sum, count) => sum + count, 0) / Math.max(1, waits.length),
  };
}

/** Measures the work of the servers and the database during `work`. */
const withShare = (url: string, origins: string[], work: () => Promise<Heard>) =>
  withConnection(url, async (sql) => {
    const before = await lookAt(sql, origins);
    const over = new AbortController();
    const looking = countWaiting(sql, over.signal);
    // An error of `looking` is thrown at its `await` below. Without this handler, Node could end
    // the process before that.
    looking.catch(() => undefined);
    const heard = await work().finally(() => over.abort());
    const waits = await looking;
    const answers = Object.values(heard.statuses).reduce((sum, count) => sum + count, 0);
    return { heard, share: perAnswer(before, await lookAt(sql, origins), answers, waits) };
  });

async function lookAt(sql: postgres.Sql, origins: string[]): Promise<Look> {
  const [row] = await sql<{ walBytes: number; transactions: number }[]>`
    SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes",
      xact_commit::float8 AS transactions
    FROM pg_stat_database WHERE datname = current_database()`;
  if (!row) throw new Error('PostgreSQL has no statistics of this database');
  const texts = await Promise.all(origins.map(metricsOf));
  const sumOf = (name: string) => texts.reduce((sum, text) => sum + valueIn(text, name), 0);
  return {
    ...row,
    locks: sumOf('rowlock_lock_wait_seconds_count'),
    serversUs: sumOf('process_cpu_seconds_total') * 1_000_000,
    postgres: await readProcessorTimes(sql),
  };
}

/** Counts the sessions that wait for a lock, again and again until `over` is aborted. */
async function countWaiting(sql: postgres.Sql, over: AbortSignal): Promise<number[]> {
  const waits: number[] = [];
  while (!over.aborted) {
    const [row] = await sql<{ waiting: number }[]>`
      SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    waits.push(row?.waiting ?? 0);
    await pause(LOOK_MS, over);
  }
  return waits;
}

const metricsOf = async (origin: string): Promise<string> =>
  (await fetch(`${origin}/metrics`)).text();

/** Returns the value of a metric without labels. */
function valueIn(text: string, name: string): number {
  const value = text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1];
  if (value === undefined) throw new Error(`the server has no metric ${name}`);
  return Number(value);
}

function shareInWords(name: string, rounds: Figures[]): string[] {
  if (rounds[0]?.locks === undefined) return [];
  const of = (figure: string, digits: number) => median(rounds, figure).toFixed(digits);
  const postgres = 'postgresUs' in rounds[0] ? ` and ${of('postgresUs', 0)} µs of PostgreSQL` : '';
  return [
    `${name}: an answer takes ${of('serversUs', 0)} µs of the servers${postgres}, ` +
      `${of('locks', 4)} statements that lock, ${of('transactions', 4)} transactions and ` +
      `${of('walBytes', 0)} bytes of WAL; ${of('waiting', 1)} sessions wait for a lock`,
  ];
}

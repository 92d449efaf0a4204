import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { shellWord } from '../../../src/explorer/programs/shell-word.ts';
import { changed } from '../../../src/platform/db/hosts.ts';
import { environmentWith } from '../../../src/platform/process/environment.ts';
import { PlainError } from '../../../src/platform/process/errors.ts';
import { findOnPath } from '../../../src/platform/process/find-on-path.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { DEFAULT_CAPACITY } from '../../../src/service/claims/rules.ts';
import { expectClaims, figuresOf } from '../check.ts';
import type { Asks } from '../load/asks.ts';
import { type Bar, compare, type Measure } from '../measure.ts';
import { type Figures, type Measurement, median } from '../rounds.ts';
import { clearClaims, setEvents, withConnection } from '../seed.ts';
import { FREE_JOBS, type Scenario, type Stand, spreadClaims } from '../stand.ts';
import { openPgbench } from './pgbench.ts';
import { HOT_JOB, inTurn, measurePgbench } from './scenarios.ts';

/** A server on its database, in this comparison. */
interface Contestant {
  name: 'service' | 'service without events' | 'Go';
  origin: string;
  url: string;
  /** Prepares the database for a measurement. */
  prepare(): Promise<void>;
}

interface Crowd {
  what: string;
  connections: number;
  asks: Asks;
  /** The status of nearly all answers. */
  status: 200 | 403;
  /** The least ratio of the service's rate to Go's rate. */
  least: number;
  /** How much slower the service may be with events. */
  events?: { perSecond?: Bar; p50?: Bar };
}

const hotJob = { kind: 'one-job', jobId: HOT_JOB } satisfies Asks;
const spreadOver = `spread over ${FREE_JOBS.toLocaleString('en')} jobs`;

const CROWDS: Crowd[] = [
  {
    what: `one client, ${spreadOver}`,
    connections: 1,
    asks: spreadClaims,
    status: 200,
    least: 1.2,
    events: { p50: { at: 'most', limit: 1.1 } },
  },
  {
    what: `64 clients, ${spreadOver}`,
    connections: 64,
    asks: spreadClaims,
    status: 200,
    least: 3.5,
  },
  {
    what: `256 clients, ${spreadOver}`,
    connections: 256,
    asks: spreadClaims,
    status: 200,
    least: 5,
    events: { perSecond: { at: 'least', limit: 0.95 } },
  },
  { what: '64 clients, one hot job', connections: 64, asks: hotJob, status: 403, least: 12 },
  { what: '256 clients, one hot job', connections: 256, asks: hotJob, status: 403, least: 13 },
];

const LEFT_OUT = 'go not found on the PATH: the comparison with the Go server is left out';

/**
 * (l) Compares the service with a server in Go. The Go server has only the parts that an article
 * about the lock shows: one transaction for each claim, two plain tables, and a pool of 20
 * connections.
 */
export const article: Scenario = async (stand) => {
  const { group, onProgress, arena } = stand;
  onProgress('article: building the Go server');
  const program = await buildGo(arena.stop);
  if (program === undefined) return { measures: [], rounds: {}, notes: [LEFT_OUT] };
  const url = await makePlainTables(stand);
  const address = changed(url, ({ searchParams }) => {
    const mode = searchParams.get('sslmode') ?? '';
    if (!MODES_OF_LIB_PQ.includes(mode)) searchParams.set('sslmode', 'disable');
  });
  const go = await arena.startProgram('the Go server', `exec ${shellWord(program)}`, address);
  const { url: ours, server } = group;
  const service = (name: Contestant['name'], appends: boolean): Contestant => ({
    ...{ name, origin: server.origin, url: ours },
    async prepare() {
      await setEvents(ours, true);
      await clearClaims(ours);
      await setEvents(ours, appends);
    },
  });
  const contestants: Contestant[] = [
    service('service', true),
    { name: 'Go', origin: go.origin, url, prepare: () => clearPlainClaims(url) },
  ];
  const withoutEvents = service('service without events', false);
  const measurements: Record<string, Measurement> = {};
  for (const crowd of CROWDS)
    for (const each of crowd.events ? [...contestants, withoutEvents] : contestants)
      measurements[nameOf(each.name, crowd)] = measure(stand, each, crowd);
  const pgbench = await openPgbench(stand.without, FREE_JOBS, arena.stop, PGBENCH_CLIENTS);
  if (pgbench) measurements.pgbench = measurePgbench(stand, pgbench, false);
  const rounds = await inTurn(stand, 'article', measurements);
  for (const each of [ours, stand.without]) await setEvents(each, true);
  return {
    rounds,
    measures: [
      ...CROWDS.flatMap((crowd) => compared(rounds, crowd)),
      ...(pgbench ? [comparedWithPgbench(rounds)] : []),
    ],
    notes: [pgbench ? pgbench.version : 'pgbench not found on the PATH: its ratio is left out'],
  };
};

/** A PostgreSQL with default settings accepts 100 connections, also those of the servers. */
const PGBENCH_CLIENTS = 50;

/** The values of `sslmode` with TLS that lib/pq knows. Without `sslmode`, lib/pq asks for TLS. */
const MODES_OF_LIB_PQ = ['require', 'verify-ca', 'verify-full'];

const nameOf = (contestant: Contestant['name'], { what }: Crowd) => `${contestant}, ${what}`;

/** The folder of Debian's packages for Go. If this folder has no lib/pq, Go downloads lib/pq. */
const PACKAGED = '/usr/share/gocode';

/**
 * Compiles the Go server, and returns the file. Returns undefined if there is no `go` on the PATH.
 */
async function buildGo(stop: AbortSignal): Promise<string | undefined> {
  const go = findOnPath('go');
  if (go === undefined) return undefined;
  const isPackaged = existsSync(path.join(PACKAGED, 'src/github.com/lib/pq'));
  const program = inProject('node_modules/.cache/rowlock/article');
  const options = {
    cwd: inProject('examples/any-language/go'),
    env: environmentWith(isPackaged ? { GO111MODULE: 'off', GOPATH: PACKAGED } : {}),
    signal: stop,
  };
  const args = ['build', '-o', program, 'main.go'];
  await promisify(execFile)(go, args, options).catch(({ stderr, message }) => {
    stop.throwIfAborted();
    throw new PlainError(`The Go server could not be built: ${stderr || message}`);
  });
  return program;
}

/** Makes the tables of the article, with the same jobs as the service has. */
async function makePlainTables({ arena }: Stand): Promise<string> {
  const url = await arena.makeEmptyDatabase('article');
  await withConnection(url, async (sql) => {
    await sql`CREATE TABLE jobs (id bigint PRIMARY KEY, capacity int NOT NULL)`;
    await sql`CREATE TABLE job_claims (
      job_id bigint NOT NULL REFERENCES jobs, recruiter_id bigint NOT NULL,
      PRIMARY KEY (job_id, recruiter_id))`;
    await sql`INSERT INTO jobs
      SELECT n, ${DEFAULT_CAPACITY}::int FROM generate_series(1, ${FREE_JOBS}::int) n`;
    await sql`VACUUM (ANALYZE) jobs, job_claims`;
  });
  return url;
}

const clearPlainClaims = (url: string): Promise<void> =>
  withConnection(url, async (sql) => {
    await sql`TRUNCATE job_claims`;
    await sql`CHECKPOINT`;
  });

const measure =
  (
    { arena, seconds }: Stand,
    { name, origin, url, prepare }: Contestant,
    crowd: Crowd,
  ): Measurement =>
  async () => {
    const { asks, connections, status } = crowd;
    await prepare();
    const order = { origins: [origin], seconds, crowds: [{ asks, connections }] };
    const [heard] = await arena.makeLoad(order);
    if (!heard) throw new Error('there was no crowd');
    const { 200: granted = 0, ...refused } = heard.statuses;
    await expectClaims(nameOf(name, crowd), url, status === 200 ? granted : DEFAULT_CAPACITY);
    // The few granted claims of the hot job do not count, because they are no refusals.
    const statuses = status === 200 ? heard.statuses : refused;
    return figuresOf(nameOf(name, crowd), { ...heard, statuses }, status);
  };

function compared(rounds: Record<string, Figures[]>, crowd: Crowd): Measure[] {
  const of = (contestant: Contestant['name'], figure: string) => ({
    name: contestant,
    value: median(rounds[nameOf(contestant, crowd)] ?? [], figure),
  });
  const { what, status, least, events } = crowd;
  const unit = status === 200 ? 'claims/s' : 'refusals/s';
  const against = (other: Contestant['name'], { perSecond, p50 }: NonNullable<typeof events>) => [
    compare(what, unit, of('service', 'perSecond'), of(other, 'perSecond'), perSecond),
    compare(`${what}, p50`, 'ms', of('service', 'p50'), of(other, 'p50'), p50),
    compare(`${what}, p99`, 'ms', of('service', 'p99'), of(other, 'p99')),
  ];
  return [
    ...against('Go', { perSecond: { at: 'least', limit: least } }),
    ...(events ? against('service without events', events) : []),
  ];
}

/** Compares the largest crowd with whole claims inside the database, without a server. */
const comparedWithPgbench = (rounds: Record<string, Figures[]>): Measure => {
  const crowd = CROWDS.find(({ connections }) => connections === 256) as Crowd;
  const rate = (name: string) => median(rounds[name] ?? [], 'perSecond');
  return compare(
    `256 clients, beside ${PGBENCH_CLIENTS} clients of pgbench`,
    'claims/s',
    { name: 'service', value: rate(nameOf('service', crowd)) },
    { name: 'pgbench', value: rate('pgbench') },
    { at: 'least', limit: 1.5 },
  );
};

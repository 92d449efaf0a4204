/**
 * Measures the processor time of a distribution's PostgreSQL with its default settings. Processor
 * time differs between machines, so each limit is a ratio, or a large number.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Pooler } from '../../../../src/platform/db/client.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import { makeService } from '../../../support/app.ts';
import { atEnd, runWorker } from '../../../support/command.ts';
import { makeCluster, makeHome, startCluster } from '../../../support/debian-postgres.ts';
import { makePooler } from '../../../support/pooler.ts';

const JOBS = 20_000;
const CLAIMS = 1_000;
/** The claims before a measurement. They open the sessions and plan the statements. */
const WARM_UP = 50;
const ROUNDS = 5;
const MOST_WITH_JIT = 1.2;
const WORKERS = 4;
/** In the first seconds, the processes open their sessions. */
const OPENING_S = 5;
const IDLE_S = 10;
/** Other programs use the machine too. So we take the median of some windows. */
const IDLE_WINDOWS = 3;
const MOST_IDLE_CORES = 0.01;

/** The ticks of `/proc` are a hundredth of a second on every Linux. */
const TICKS = 100;
const NANOSECONDS = 1e9;

/**
 * Returns the processor seconds of a server so far, with its living and its ended processes. The
 * time of a living process is exact. A tick is too coarse for an idle process: it is charged whole
 * to whatever runs at its end.
 */
function processorSeconds(postmaster: number): number {
  const fields = (pid: string | number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  const secondsOf = (pid: string | number) =>
    Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / NANOSECONDS;
  const [ofUser = 0, ofSystem = 0] = fields(postmaster).slice(13, 15);
  let seconds = secondsOf(postmaster) + (ofUser + ofSystem) / TICKS;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (fields(pid)[1] === postmaster) seconds += secondsOf(pid);
    } catch {
      // The process has ended. The postmaster counts its time.
    }
  }
  return seconds;
}

const median = (numbers: number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] as number;

const beside = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href;

describe('on a stock PostgreSQL', { tags: ['postgresql'] }, () => {
  let home: ReturnType<typeof makeHome>;
  let server: Awaited<ReturnType<typeof startCluster>>;
  let admin: postgres.Sql;
  beforeAll(async () => {
    home = makeHome();
    await makeCluster(home);
    server = await startCluster(home);
    admin = postgres(server.url, { max: 1, onnotice: () => undefined });
    atEnd(() => admin.end());
    await admin`CREATE DATABASE loaded`;
    const url = beside(server.url, 'loaded');
    await prepareDatabase(url, { demoData: true });
    const sql = postgres(url, { max: 1 });
    await sql`SET session_replication_role = replica`;
    await sql`INSERT INTO jobs (company_id, role)
      SELECT 1, 'Engineer' FROM generate_series(1, ${JOBS}::int)`;
    await sql.end();
  });

  /** Returns PostgreSQL's processor time for one claim of one client, in milliseconds. */
  async function costOfClaim(databaseUrl: string, url: string, pooler?: Pooler): Promise<number> {
    const service = await makeService(url, { lab: false, places: WORKERS, pooler });
    const sql = postgres(databaseUrl, { max: 1 });
    await sql`TRUNCATE job_claims, events`;
    await sql.end();
    const claim = async (jobId: number) =>
      expect((await fetch(`${service.url}/claim-job?jobId=${jobId}&recruiterId=1`)).status).toBe(
        200,
      );
    for (let n = 1; n <= WARM_UP; n++) await claim(n);
    const before = processorSeconds(server.pid);
    for (let n = 1; n <= CLAIMS; n++) await claim(WARM_UP + n);
    const used = processorSeconds(server.pid) - before;
    await service.stop();
    return (used / CLAIMS) * 1_000;
  }

  /**
   * Changes the default of `jit` in a database. A pooler keeps old connections with the old
   * default, so we end all connections.
   */
  const withJit = async (jit: 'on' | 'off', database: string) => {
    await admin.unsafe(`ALTER DATABASE "${database}" SET jit = ${jit}`);
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database}`;
  };

  /** Compares the cost of a claim with `jit = on` and with `jit = off`, in turn. */
  async function expectNoCostOfJit(
    database: string,
    front: (url: string) => Promise<{ url: string; pooler?: Pooler }>,
  ) {
    const url = beside(server.url, database);
    const { url: asked, pooler } = await front(url);
    const costs: Record<'on' | 'off', number[]> = { on: [], off: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const jit of ['on', 'off'] as const) {
        await withJit(jit, database);
        costs[jit].push(await costOfClaim(url, asked, pooler));
      }
    const ratio = median(costs.on) / median(costs.off);
    const words = `${database}: ${JSON.stringify(costs)}, ratio ${ratio.toFixed(2)}`;
    process.stderr.write(`${words}\n`);
    expect(ratio, words).toBeLessThanOrEqual(MOST_WITH_JIT);
  }

  /**
   * Restores a dump. A dump contains no setting of `ALTER DATABASE`. PostgreSQL's documentation
   * advises to analyze a restored database.
   */
  async function restore(name: string) {
    await home.run('pg_dump', ['-Fc', '-f', 'loaded.dump', beside(server.url, 'loaded')]);
    await home.run('createdb', ['--maintenance-db', server.url, name]);
    await home.run('pg_restore', ['-d', beside(server.url, name), 'loaded.dump']);
    await home.run('vacuumdb', ['--analyze', '-d', beside(server.url, name)]);
  }

  test('a claim costs no more with jit = on than with jit = off', () =>
    expectNoCostOfJit('loaded', async (url) => ({ url })));

  test.each(['session', 'transaction'] as const)(
    'after a restore, a claim behind PgBouncer in %s mode costs no more with jit = on than with jit = off',
    { tags: ['pgbouncer'] },
    async (mode) => {
      await restore(mode);
      await expectNoCostOfJit(mode, async (url) => {
        const pooled = await makePooler(url, { mode });
        return mode === 'session' ? { url: pooled } : { url: pooled, pooler: mode };
      });
    },
  );

  /**
   * Measures how many cores PostgreSQL uses for an idle server and its workers. Asserts that the
   * workers log no error. First cleans up after earlier loads and restores, in all databases.
   * Otherwise autovacuum does this a minute later, and we would measure it.
   */
  async function measureIdle(url: string, pooler?: Pooler): Promise<number> {
    const database = new URL(url).pathname.slice(1);
    await home.run('vacuumdb', ['--all', '--analyze', '--maintenance-db', server.url]);
    const service = await makeService(url, { lab: false, places: WORKERS, pooler });
    const env = { DATABASE_URL: url, ...(pooler && { DATABASE_POOLER: pooler }) };
    const workers = Array.from({ length: WORKERS - 1 }, () => runWorker(env));
    await Promise.all(workers.map((each) => each.says(/readyz/)));
    await sleep(OPENING_S * 1_000);
    const windows: number[] = [];
    for (let window = 0; window < IDLE_WINDOWS; window++) {
      const before = processorSeconds(server.pid);
      await sleep(IDLE_S * 1_000);
      windows.push((processorSeconds(server.pid) - before) / IDLE_S);
    }
    const cores = median(windows);
    process.stderr.write(`idle, ${database}: ${cores.toFixed(4)} cores\n`);
    await service.stop();
    // The next measurement uses the same server, so these workers must end first.
    for (const { child, ended } of workers) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const { stdout, stderr } of workers)
      expect(stdout() + stderr()).not.toMatch(/"level":"error"/);
    // Otherwise autovacuum would visit this database during the next measurement.
    await admin`DROP DATABASE ${admin(database)} WITH (FORCE)`;
    return cores;
  }

  test('an idle server and three idle workers cost PostgreSQL at most one percent of a processor, and the workers log no error', async () => {
    const url = beside(server.url, 'idle');
    await admin`CREATE DATABASE idle`;
    await prepareDatabase(url, { demoData: true });
    expect(await measureIdle(url)).toBeLessThanOrEqual(MOST_IDLE_CORES);
  });

  test.each(['session', 'transaction'] as const)(
    'after a restore, an idle server and its workers cost one percent of a processor or less behind PgBouncer in %s mode',
    { tags: ['pgbouncer'] },
    async (mode) => {
      await restore(`idle-${mode}`);
      const pooled = await makePooler(beside(server.url, `idle-${mode}`), { mode });
      const pooler = mode === 'session' ? undefined : mode;
      expect(await measureIdle(pooled, pooler)).toBeLessThanOrEqual(MOST_IDLE_CORES);
    },
  );
});

import postgres from 'postgres';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { refuseSharedSessions, sharesSessions } from '../../../../src/platform/db/pooler.ts';
import { makeReady } from '../../../../src/platform/db/ready.ts';
import { openSession } from '../../../../src/platform/db/session.ts';
import { NOTHING_RAN } from '../../../../src/platform/db/sqlstate.ts';
import { openScratch } from '../../../../src/platform/postgres/scratch.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import type { Service } from '../../../../src/service/program/service.ts';
import { collectLog, makeApp, makeService } from '../../../support/app.ts';
import { claimFrom, crowd, expectWholeClaim } from '../../../support/claims.ts';
import { atEnd, run, runServer } from '../../../support/command.ts';
import { makeDatabase, makeDatabaseWith, makeEmptyDatabase } from '../../../support/database.ts';
import { follow } from '../../../support/events.ts';
import { whileHeld } from '../../../support/locks.ts';
import { makePooler, startPooler } from '../../../support/pooler.ts';

const RECRUITERS = 50;
const ROUNDS = 10;
const CAPACITY = 4;
/** This timeout is short, so that the tests do not take long. */
const LOCK_TIMEOUT_MS = 300;
const pooler = 'transaction';

const connectTo = (url: string) => {
  const sql = postgres(url, { max: 3, prepare: false, fetch_types: false });
  atEnd(() => sql.end());
  return sql;
};

/** Returns the pids of the backends that serve PgBouncer's connections to this database. */
const poolersPids = async (admin: postgres.Sql): Promise<number[]> => {
  const rows = await admin<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'rowlock'`;
  return rows.map(({ pid }) => pid);
};

describe('two servers behind PgBouncer in transaction mode', { tags: ['pgbouncer'] }, () => {
  let databaseUrl: string;
  let admin: postgres.Sql;
  let front: Awaited<ReturnType<typeof startPooler>>;
  let servers: Service[];
  const { log, events } = collectLog();
  beforeAll(async () => {
    // With the default isolation level of this database, claims would oversell jobs.
    databaseUrl = await makeDatabaseWith('default_transaction_isolation', 'repeatable read');
    front = await startPooler(databaseUrl, { mode: 'transaction', size: 4 });
    admin = connectTo(databaseUrl);
    const starting = () => makeService(front.url, { pooler, lab: false, log });
    servers = [await starting(), await starting()];
  });
  afterEach(async () => {
    const oversold = await admin`
      SELECT job_id FROM job_claims GROUP BY job_id HAVING count(*) > ${CAPACITY}`;
    expect(oversold).toEqual([]);
    events.length = 0;
  });

  const newJob = async (): Promise<number> => {
    const [row] = await admin<{ id: number }[]>`
      INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'Behind a pooler', ${CAPACITY})
      RETURNING id::int`;
    return row?.id ?? 0;
  };

  const claim = (jobId: number, recruiterId: number) => claimFrom(servers, jobId, recruiterId);

  const claimsOf = async (jobId: number): Promise<number> =>
    (await admin`SELECT FROM job_claims WHERE job_id = ${jobId}`).length;

  test('let four of fifty recruiters win each job', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const jobId = await newJob();
      const { racing } = await whileHeld(databaseUrl, jobId, async ({ untilWaiting }) => {
        const racing = crowd(servers, jobId, RECRUITERS);
        // The second server waits for the first server, which waits for the holder.
        await untilWaiting(servers.length);
        return { racing };
      });
      const statuses = await racing;
      expect(statuses.filter((each) => each === 200)).toHaveLength(CAPACITY);
      expect(statuses.filter((each) => each === 403)).toHaveLength(RECRUITERS - CAPACITY);
      expect(await claimsOf(jobId)).toBe(CAPACITY);
    }
    expect(events).toEqual([]);
  });

  test('lose no granted claim when the backends of PgBouncer are killed', async () => {
    const racing: Promise<{ jobId: number; statuses: number[] }>[] = [];
    let killed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const jobId = await newJob();
      await whileHeld(databaseUrl, jobId, async ({ untilWaitedFor }) => {
        racing.push(crowd(servers, jobId, RECRUITERS).then((statuses) => ({ jobId, statuses })));
        // At least one of these backends is in the middle of a transaction.
        await untilWaitedFor();
        for (const pid of await poolersPids(admin)) {
          const [row] = await admin`SELECT pg_terminate_backend(${pid}) AS done`;
          killed += Number(row?.done);
        }
      });
    }
    for (const { jobId, statuses } of await Promise.all(racing)) {
      expect(statuses.filter((each) => ![200, 403, 503].includes(each))).toEqual([]);
      // A claim without an answer may have been committed.
      const granted = statuses.filter((each) => each === 200).length;
      expect(await claimsOf(jobId)).toBeGreaterThanOrEqual(granted);
    }
    expect(killed).toBeGreaterThanOrEqual(ROUNDS);
    await vi.waitFor(async () => expect(await claim(await newJob(), 1)).toBe(200), 20_000);
  });

  test('tell their followers every change, also if the backends of PgBouncer are killed', async () => {
    const followings = await Promise.all(
      servers.map(({ url }) => follow((init) => fetch(`${url}/jobs/events`, init))),
    );
    for (const following of followings) await following.isComplete();
    const told = (jobId: number, claimed: number) =>
      vi.waitFor(() => {
        for (const following of followings)
          expect(following.latest().get(jobId)?.data.claimed).toBe(claimed);
      }, 20_000);
    for (let round = 0; round < ROUNDS; round++) {
      const jobId = await newJob();
      // This statement goes past the servers and past PgBouncer, so it tells no server of its
      // commit.
      await admin`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${jobId}, 1)`;
      await told(jobId, 1);
      for (const pid of await poolersPids(admin)) await admin`SELECT pg_terminate_backend(${pid})`;
      await vi.waitFor(async () => expect(await claim(jobId, 2)).toBe(200), 20_000);
      await told(jobId, 2);
    }
    // The full state has come only once, at the beginning. After that, the followers have heard of
    // each single change.
    for (const { events } of followings)
      expect(events.filter(({ name }) => name === 'begin')).toHaveLength(1);
  });

  test('answer 503 while PgBouncer is down, and claim again after its start', async () => {
    const jobId = await newJob();
    await front.kill();
    expect(await claim(jobId, 1)).toBe(503);
    expect(await claim(jobId, 2)).toBe(503);
    await front.start();
    for (const recruiterId of [1, 2])
      await vi.waitFor(async () => expect(await claim(jobId, recruiterId)).toBe(200), 20_000);
    expect(await claimsOf(jobId)).toBe(2);
  });
});

describe('a server behind PgBouncer with one connection in transaction mode', {
  tags: ['pgbouncer'],
}, () => {
  const PARAMETERS = [
    'DateStyle',
    'default_transaction_isolation',
    'idle_in_transaction_session_timeout',
    'jit',
    'lock_timeout',
    'statement_timeout',
    'tcp_keepalives_idle',
  ];
  let databaseUrl: string;
  let server: Awaited<ReturnType<typeof makeApp>>;
  let bystander: postgres.Sql;
  beforeAll(async () => {
    databaseUrl = await makeDatabaseWith('DateStyle', 'SQL, DMY');
    const url = await makePooler(databaseUrl, { mode: 'transaction', size: 1 });
    server = await makeApp({ url, pooler, lockTimeoutMs: LOCK_TIMEOUT_MS });
    bystander = connectTo(url);
  });

  const keyed = (key: string) => ({ 'Idempotency-Key': key });

  /**
   * Returns the settings, locks, statements and channels that another client of the pooler finds.
   */
  const met = async () => {
    const settings = await bystander`
      SELECT name, current_setting(name) AS value FROM pg_settings
      WHERE name = ANY (string_to_array(${PARAMETERS.join()}, ',')) ORDER BY name`;
    const statements = await bystander`SELECT name FROM pg_prepared_statements`;
    // Other tests hold advisory locks in other databases.
    const locks = await bystander`
      SELECT FROM pg_locks JOIN pg_database ON database = pg_database.oid
      WHERE locktype = 'advisory' AND datname = current_database()`;
    const channels = await bystander`SELECT pg_listening_channels() AS name`;
    return { settings: [...settings], statements, locks, channels };
  };

  test('serves claims, renewals, releases, keys and capacities, with exact times', async () => {
    const { call } = server;
    await expectWholeClaim(call, databaseUrl);
    expect((await call('PATCH', '/jobs/3', { capacity: 1 })).status).toBe(200);
    expect((await call('POST', '/jobs/3/claims', { recruiterId: 2 })).status).toBe(201);
    expect((await call('POST', '/jobs/3/claims', { recruiterId: 3 })).status).toBe(403);
  });

  test('leaves no setting, lock, statement or channel to another client', async () => {
    const before = await met();
    const { call } = server;
    const { body } = await call('POST', '/jobs/5/claims', { recruiterId: 1 }, keyed('bystander'));
    await call('GET', '/jobs');
    const during = await bystander.begin(async (tx) => tx`SHOW lock_timeout`);
    await call('DELETE', `/claims/${body.claim.id}`);
    expect([...during]).toEqual([{ lock_timeout: '0' }]);
    expect(await met()).toEqual(before);
    expect(before.settings).toContainEqual({ name: 'statement_timeout', value: '0' });
    expect(before).toMatchObject({ statements: [], locks: [], channels: [] });
  });

  test('keeps the capacity and its lock timeout, whatever settings another client leaves behind', async () => {
    const { claim } = server;
    await bystander`SET default_transaction_isolation = 'serializable'`;
    await bystander`SET lock_timeout = 0`;
    await bystander`SET statement_timeout = 0`;
    await whileHeld(databaseUrl, 6, async ({ untilWaitedFor }) => {
      const asked = claim(6, 1);
      await untilWaitedFor();
      // The holder releases the lock only after this answer.
      expect((await asked).status).toBe(503);
    });
    const statuses = [];
    for (let id = 1; id <= 5; id++) statuses.push((await claim(6, id)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 403]);
    await bystander`RESET ALL`;
  });
});

async function diagnosis(url: string) {
  const doctor = run('scripts/doctor.ts', ['--json', '--url', url]);
  await doctor.ended;
  return JSON.parse(doctor.stdout());
}

describe('PgBouncer in transaction mode', { tags: ['pgbouncer'] }, () => {
  test('causes the answer busy while PgBouncer cannot reach PostgreSQL', async () => {
    const nowhere = new URL(await makeDatabase());
    nowhere.port = '1';
    const url = await makePooler(nowhere.href, { mode: 'transaction', waitSeconds: 1 });
    const { call, events } = await makeApp({ url, pooler });
    const { status, body } = await call('POST', '/jobs/1/claims', { recruiterId: 1 });
    expect([status, body.code, events]).toEqual([503, 'busy', []]);
    const session = openSession({ url }, { parsers: {}, serializers: {} });
    await expect(makeReady(session, {})).rejects.toMatchObject({ code: NOTHING_RAN });
    await expect(prepareDatabase(url)).rejects.toThrow(/^Cannot use [^ ]+ at \S+: query_wait_time/);
  });

  test('causes the answer busy if no connection to PostgreSQL becomes free in time', async () => {
    const url = await makePooler(await makeDatabase(), {
      mode: 'transaction',
      size: 1,
      waitSeconds: 1,
    });
    const { call, events } = await makeApp({ url, pooler });
    const ask = (id = 1) => call('POST', '/jobs/1/claims', { recruiterId: id });
    expect((await ask()).status).toBe(201);
    const { status, body } = await connectTo(url).begin(async (tx) => {
      await tx`SELECT 1`;
      return ask(2);
    });
    expect([status, body.code]).toEqual([503, 'busy']);
    expect(events).toEqual([]);
    expect((await ask(2)).status).toBe(201);
  });

  test('lets four processes migrate an empty database at the same time, and leaves no lock', async () => {
    const databaseUrl = await makeEmptyDatabase();
    const url = await makePooler(databaseUrl, { mode: 'transaction', size: 2 });
    await Promise.all(Array.from({ length: 4 }, () => prepareDatabase(url, { demoData: true })));
    const admin = connectTo(databaseUrl);
    const [row] = await admin`SELECT count(*)::int AS jobs FROM jobs`;
    expect(row).toEqual({ jobs: 24 });
    expect(
      await admin`SELECT FROM pg_locks WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    ).toEqual([]);
    expect(await connectTo(url)`SHOW lock_timeout`).toEqual([{ lock_timeout: '0' }]);
  });

  test('serves npm start, npm run migrate and npm run doctor', async () => {
    const databaseUrl = await makeEmptyDatabase();
    const DATABASE_URL = await makePooler(databaseUrl, { mode: 'transaction', size: 2 });
    const settings = { DATABASE_URL, DATABASE_POOLER: 'transaction' };
    for (const script of ['migrate', 'seed']) {
      const command = run(`scripts/${script}.ts`, [], settings);
      expect([script, await command.ended]).toMatchObject([script, { code: 0 }]);
    }
    expect(await diagnosis(DATABASE_URL)).toEqual(await diagnosis(databaseUrl));
    const server = runServer(settings);
    const [, url] = await server.says(/listens on (http\S+)/);
    const response = await fetch(`${url}/claim-job?jobId=1&recruiterId=1`);
    expect([response.status, (await fetch(`${url}/readyz`)).status]).toEqual([200, 200]);
  });

  test('is recognized, and is not confused with PostgreSQL itself or with session mode', async () => {
    const url = await makeDatabase();
    expect(await sharesSessions(url)).toBe(false);
    expect(await sharesSessions(await makePooler(url, { mode: 'session' }))).toBe(false);
    expect(await sharesSessions(await makePooler(url, { mode: 'session', size: 1 }))).toBe(false);
    expect(await sharesSessions(await makePooler(url, { mode: 'transaction' }))).toBe(true);
  });

  test('refuses the commands that make databases, in one line', async () => {
    const url = await makePooler(await makeDatabase(), { mode: 'transaction' });
    await expect(openScratch(url)).rejects.toThrow(/pooler in transaction mode\. This command/);
  });
});

describe('a start', { tags: ['pgbouncer'] }, () => {
  test.each<Record<string, string>>([{}, { DATABASE_POOLER: 'transaction' }])(
    'is refused in statement mode, with %j',
    async (settings) => {
      const url = await makePooler(await makeDatabase(), { mode: 'statement' });
      const server = runServer({ DATABASE_URL: url, ...settings });
      expect(await server.ended).toMatchObject({ code: 1 });
      expect(server.stderr()).toMatch(/^DATABASE_URL leads to a pooler in statement mode, .+\n$/);
    },
  );

  test('migrates past the pooler with DATABASE_URL_DIRECT', async () => {
    const databaseUrl = await makeEmptyDatabase();
    const admin = connectTo(databaseUrl);
    const url = await makePooler(databaseUrl, { mode: 'transaction' });
    const server = runServer({
      ...{ DATABASE_URL: url, DATABASE_POOLER: 'transaction', DATABASE_URL_DIRECT: databaseUrl },
    });
    const [, origin] = await server.says(/listens on (http\S+)/);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(await admin`SELECT FROM drizzle.__drizzle_migrations`).not.toHaveLength(0);
  });

  test('is refused if DATABASE_URL_DIRECT leads to another database or to a pooler', async () => {
    const databaseUrl = await makeDatabase();
    const url = await makePooler(databaseUrl, { mode: 'transaction' });
    for (const [direct, words] of [
      [await makeDatabase(), /^DATABASE_URL_DIRECT must lead to the same database as DATABASE_URL/],
      [url.replace('127.0.0.1', 'localhost'), /^DATABASE_URL_DIRECT leads to a pooler in transact/],
    ] as const) {
      const settings = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
      const server = runServer({ ...settings, DATABASE_URL_DIRECT: direct });
      expect(await server.ended).toMatchObject({ code: 1 });
      expect(server.stderr()).toMatch(words);
    }
  });
});

describe('without DATABASE_POOLER', { tags: ['pgbouncer'] }, () => {
  test('the server does not start, and names the setting', async () => {
    const url = await makePooler(await makeDatabase(), { mode: 'transaction' });
    const server = runServer({ DATABASE_URL: url });
    expect(await server.ended).toMatchObject({ code: 1 });
    expect(server.stderr()).toMatch(
      /^DATABASE_URL leads to a pooler in transaction mode\. Set DATABASE_POOLER=transaction\.$/m,
    );
    await expect(refuseSharedSessions(url, '')).rejects.toThrow('transaction mode');
  });

  test('a server that has started oversells no job, and its log names the setting', async () => {
    const databaseUrl = await makeDatabase();
    const url = await makePooler(databaseUrl, { mode: 'transaction', size: 4 });
    const { log, events } = collectLog();
    const service = await makeService(url, { lab: false, log });
    const admin = connectTo(databaseUrl);
    const statuses: number[] = [];
    const ask = async (jobId: number, recruiterId: number) => {
      const query = `jobId=${jobId}&recruiterId=${recruiterId}`;
      const response = await fetch(`${service.url}/claim-job?${query}`);
      await response.text();
      statuses.push(response.status);
    };
    for (let jobId = 1; jobId <= 20 && !statuses.includes(500); jobId++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => ask(jobId, n + 1)));
      // The sessions that replace these sessions have no prepared statement.
      for (const pid of await poolersPids(admin)) await admin`SELECT pg_terminate_backend(${pid})`;
    }
    const rows = await admin`
      SELECT count(*)::int AS claims FROM job_claims GROUP BY job_id`;
    expect(rows.filter(({ claims }) => claims > CAPACITY)).toEqual([]);
    const claims = rows.reduce((sum, row) => sum + row.claims, 0);
    expect(claims).toBe(statuses.filter((each) => each === 200).length);
    expect(statuses).toContain(500);
    expect(events).toContainEqual({
      event: 'the database lost a prepared statement',
      reason: expect.stringMatching(
        /prepared statement "\w+" does not exist\. .*set DATABASE_POOLER=transaction\.$/,
      ),
    });
  });
});

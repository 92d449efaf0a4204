import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { makeApp } from '../../support/app.ts';
import { makeDatabaseWith } from '../../support/database.ts';
import { whileHeld, whileLocked } from '../../support/locks.ts';

const metricsOf = async ({ app }: Pick<Awaited<ReturnType<typeof makeApp>>, 'app'>) =>
  (await app.request('/metrics')).text();

/** Returns the value of a series in the metrics, or undefined if there is no such series. */
const seriesValue = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

describe('GET /readyz', () => {
  test('is 200 with a database that has every migration', async () => {
    const { app } = await makeApp();
    const answer = await app.request('/readyz');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ready' });
  });

  async function expectNotReady(made: Awaited<ReturnType<typeof makeApp>>, code: string) {
    const answer = await made.app.request('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code });
    expect((await made.app.request('/healthz')).status).toBe(200);
  }

  test('is 503 while the server drains, and claims are answered with 503 too', async () => {
    const made = await makeApp({ isDraining: () => true });
    await expectNotReady(made, 'shutting-down');
    expect((await made.claim(1, 1)).status).toBe(503);
  });

  test('is 503 when the database cannot be reached', async () => {
    const made = await makeApp({ url: 'postgres://nobody:secret@127.0.0.1:1/none' });
    await expectNotReady(made, 'database-unreachable');
  });

  test('is 503 while the worker of the process cannot renew its leases, but claims work', async () => {
    const made = await makeApp({ isAbleToRenew: () => false });
    await expectNotReady(made, 'worker-cannot-renew');
    expect((await made.claim(1, 1)).status).toBe(200);
  });

  test('names the database and not the worker if neither of them works', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/none';
    const made = await makeApp({ url, isAbleToRenew: () => false });
    await expectNotReady(made, 'database-unreachable');
  });

  test('answers many requests with 503 in time if the database does not answer', async () => {
    const made = await makeApp();
    const lock = 'LOCK TABLE drizzle.__drizzle_migrations';
    await whileLocked(made.databaseUrl, lock, async ({ tx }) => {
      const asked = Array.from({ length: 50 }, () => expectNotReady(made, 'database-unreachable'));
      await Promise.all(asked);
      const looking = await tx`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
      expect(looking).toHaveLength(1);
    });
  });

  test.each([
    ['a migration', sql`DELETE FROM drizzle.__drizzle_migrations WHERE id = 2`],
    ['every migration', sql`DROP SCHEMA drizzle CASCADE`],
  ])('is 503 when the database lacks %s', async (_, breakIt) => {
    const made = await makeApp();
    await made.db.execute(breakIt);
    await expectNotReady(made, 'migrations-missing');
  });

  test('says that the database is newer, and is 503 if this version is too old to serve', async () => {
    const made = await makeApp();
    await made.db.execute(
      sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 9000000000000)`,
    );
    const answer = await made.app.request('/readyz');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'ready', database: 'newer than this version, which may serve' },
    ]);
    await prepareDatabase(made.databaseUrl);
    await made.db.execute(sql`UPDATE installation SET oldest_migration = 9000000000000`);
    await expectNotReady(made, 'database-too-new');
    await expect(prepareDatabase(made.databaseUrl)).rejects.toThrow(
      /^PostgreSQL at \S+: This version is too old for the database\. Start the newer version again, or/,
    );
  });

  test('is 503 if the database takes no writes, and claims are answered with `busy`', async () => {
    const url = await makeDatabaseWith('default_transaction_read_only', 'on');
    const made = await makeApp({ url });
    await expectNotReady(made, 'database-read-only');
    const keyed = { 'Idempotency-Key': 'k1' };
    const answers = [
      await made.call('GET', '/claim-job?jobId=1&recruiterId=1'),
      await made.call('POST', '/jobs/1/claims', { recruiterId: 1 }, keyed),
      await made.call('POST', '/jobs', { companyId: 1, role: 'A job' }),
      await made.call('PATCH', '/jobs/1', { capacity: 7 }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, 'busy']),
    );
    expect((await made.app.request('/jobs')).status).toBe(200);
    expect(made.events).toEqual([]);
  });
});

test.each(['/healthz', '/readyz', '/metrics'])('%s answers only GET and HEAD', async (path) => {
  const { app } = await makeApp();
  expect((await app.request(path, { method: 'HEAD' })).status).toBe(200);
  const answer = await app.request(path, { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('GET /metrics', () => {
  test('counts each outcome of a claim once, and does not count replayed answers', async () => {
    const made = await makeApp();
    const { call } = made;
    const keyed = { 'Idempotency-Key': 'k1' };
    for (const recruiterId of [1, 2, 3]) await made.claim(1, recruiterId);
    for (const _ of [1, 2]) await call('POST', '/jobs/1/claims', { recruiterId: 4 }, keyed);
    await made.claim(1, 1);
    await made.claim(1, 5);
    await made.claim(999_999, 1);
    await made.claim(2, 999_999);
    await made.claim('x', 1);
    const text = await metricsOf(made);
    const counted = [...text.matchAll(/^rowlock_claim_outcomes_total\{outcome="(.+)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counted.map(([, kind, n]) => [kind, Number(n)]))).toEqual({
      claimed: 4,
      duplicate: 1,
      full: 1,
      'no-such-job': 1,
      'no-such-recruiter': 1,
    });
  });

  test('counts busy outcomes, and shows running and waiting claims', async () => {
    const made = await makeApp({ lockTimeoutMs: 60_000, limits: { waiting: 2, waitMs: 60_000 } });
    const waiting = await whileHeld(made.databaseUrl, 1, async () => {
      const first = made.claim(1, 1);
      await vi.waitFor(async () =>
        expect(seriesValue(await metricsOf(made), 'rowlock_claim_transactions')).toBe(1),
      );
      const second = made.claim(1, 2);
      expect((await made.claim(1, 3)).status).toBe(503);
      const text = await metricsOf(made);
      expect(seriesValue(text, 'rowlock_claim_transactions')).toBe(1);
      expect(seriesValue(text, 'rowlock_claims_waiting')).toBe(2);
      return { both: Promise.all([first, second]) };
    });
    expect((await waiting.both).map(({ status }) => status)).toEqual([200, 200]);
    const text = await metricsOf(made);
    expect(seriesValue(text, 'rowlock_claim_outcomes_total{outcome="busy"}')).toBe(1);
    expect(seriesValue(text, 'rowlock_claims_waiting')).toBe(0);
  });

  test('counts unknown outcomes, and shows their claims as running until they end', async () => {
    const made = await makeApp({ limits: { answerMs: 500 } });
    // This claim opens the app's connection. Therefore the late claim waits only for the lock.
    await made.claim(2, 1);
    await whileHeld(made.databaseUrl, 1, async () => {
      expect((await made.claim(1, 1)).status).toBe(503);
      const text = await metricsOf(made);
      expect(seriesValue(text, 'rowlock_claim_outcomes_total{outcome="unknown"}')).toBe(1);
      expect(seriesValue(text, 'rowlock_claim_transactions')).toBe(1);
    });
    await vi.waitFor(async () =>
      expect(seriesValue(await metricsOf(made), 'rowlock_claim_transactions')).toBe(0),
    );
  });

  test('has a limited number of series for any path and method', async () => {
    const made = await makeApp();
    const ask = (n: number) => {
      const path = n % 2 ? `/jobs/${n}/claims` : `/nothing-${n}/at?all=${n}`;
      return made.app.request(path, {
        method: n % 3 ? 'GET' : `BREW${n}`,
        headers: { 'X-Request-Id': `id-${n}` },
      });
    };
    for (let n = 9_000; n < 9_012; n++) await ask(n);
    const seriesIn = (text: string) =>
      text.split('\n').filter((line) => line.startsWith('rowlock_')).length;
    const before = seriesIn(await metricsOf(made));
    for (let n = 10_000; n < 11_000; n++) await ask(n);
    const text = await metricsOf(made);
    // The first request for the metrics has added series about itself: the buckets, the sum and the
    // count.
    expect(seriesIn(text) - before).toBeLessThanOrEqual(16);
    expect(text).not.toMatch(/10\d\d\d["/]|BREW|nothing/);
    expect(text).toContain('method="other",route="unknown",status="4xx"');
    expect(text).toContain('method="GET",route="/jobs/:jobId/claims",status="4xx"');
  });

  test('has the figures of the queue, but leaves them out if the database does not answer', async () => {
    const made = await makeApp();
    await made.db.execute(sql`INSERT INTO tasks (kind, payload, attempts_left, run_at, finished_at, ended)
      VALUES ('a', '{}', 1, now() - interval '1 hour', null, null),
        ('a', '{}', 1, now() - interval '1 minute', null, null),
        ('a', '{}', 1, now() + interval '1 hour', null, null),
        ('a', '{}', 0, now(), now(), 'dead'), ('a', '{}', 0, now(), now(), 'done')`);
    const text = await metricsOf(made);
    expect(seriesValue(text, 'rowlock_tasks_waiting')).toBe(2);
    expect(seriesValue(text, 'rowlock_tasks_later')).toBe(1);
    expect(seriesValue(text, 'rowlock_tasks_running')).toBe(0);
    expect(seriesValue(text, 'rowlock_tasks_dead')).toBe(1);
    const oldest = seriesValue(text, 'rowlock_oldest_waiting_task_seconds');
    expect(oldest).toBeGreaterThanOrEqual(3_600);
    expect(oldest).toBeLessThan(3_700);
    await whileLocked(made.databaseUrl, 'LOCK TABLE tasks', async ({ untilWaitedFor }) => {
      // Requests at the same time share one reading of the tasks, so only one statement waits.
      const asked = Array.from({ length: 20 }, () => metricsOf(made));
      await untilWaitedFor(1);
      for (const without of await Promise.all(asked)) {
        expect(seriesValue(without, 'rowlock_tasks_waiting')).toBeUndefined();
        expect(seriesValue(without, 'rowlock_followers')).toBe(0);
      }
    });
    expect(seriesValue(await metricsOf(made), 'rowlock_tasks_waiting')).toBe(2);
  });

  test('has figures about the process, and says whether the server drains', async () => {
    const text = await metricsOf(await makeApp({ isDraining: () => true }));
    expect(text).toContain('process_cpu_seconds_total');
    expect(seriesValue(text, 'rowlock_draining')).toBe(1);
  });
});

describe('the log of requests', () => {
  test('has a line for each request, with its route, status, time and id', async () => {
    const { app, requests } = await makeApp();
    await app.request('/jobs/1?token=hunter2', { headers: { 'X-Request-Id': 'the-id' } });
    expect(requests).toEqual([
      {
        ...{ event: 'request', requestId: 'the-id', method: 'GET', route: '/jobs/:id' },
        ...{ status: 200, milliseconds: expect.any(Number) },
      },
    ]);
  });

  test('names the route that answers, if the path matches two routes', async () => {
    const { app, requests } = await makeApp();
    const answer = await app.request('/jobs/events?jobId=1');
    await answer.body?.cancel();
    expect(requests).toMatchObject([{ route: '/jobs/events', status: 200 }]);
  });

  test('has no line for probes', async () => {
    const { app, requests } = await makeApp();
    for (const path of ['/healthz', '/readyz', '/metrics']) await app.request(path);
    expect(requests).toEqual([]);
  });

  test('shortens an unknown path, and shows no query string', async () => {
    const { app, requests } = await makeApp();
    await app.request(`/${'x'.repeat(5_000)}?token=hunter2`);
    expect(requests).toMatchObject([{ path: `/${'x'.repeat(199)}`, status: 404 }]);
    expect(JSON.stringify(requests)).not.toContain('hunter2');
  });

  test.each(['x'.repeat(256), 'two words', '{"a":1}', 'ünïcode'])(
    'does not accept the request id %j from the client',
    async (id) => {
      const { app, requests } = await makeApp();
      const answer = await app.request('/jobs/1', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      expect(requests).toMatchObject([{ requestId: answer.headers.get('x-request-id') }]);
    },
  );
});

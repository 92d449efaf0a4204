import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { freePort } from '../../../src/platform/postgres/postmaster.ts';
import {
  startWorkerService,
  type WorkerServiceOptions,
} from '../../../src/service/program/worker-service.ts';
import { enqueue } from '../../../src/service/queue/enqueue.ts';
import { findTask } from '../../../src/service/queue/queries.ts';
import { collectLog, makeService } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { lockOf, whileHeld, whileLocked } from '../../support/locks.ts';
import { kindOf } from '../../support/tasks.ts';

test('the metrics count the waits for the lock of a job and the connections in use', async () => {
  const databaseUrl = await makeDatabase();
  const { url } = await makeService(databaseUrl);
  const readMetric = async (series: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.match(new RegExp(`^${series} (.+)$`, 'm'))?.[1];
  };
  const claim = (recruiterId: number) =>
    fetch(`${url}/claim-job?jobId=1&recruiterId=${recruiterId}`);
  await claim(1);
  expect(await readMetric('rowlock_lock_wait_seconds_count')).toBe('1');
  const { second } = await whileHeld(databaseUrl, 1, async () => {
    const second = claim(2);
    // The first statement of the claim skips the locked job, so it ends immediately and is counted.
    // Now the claim waits in line.
    await vi.waitFor(
      async () => expect(await readMetric('rowlock_lock_wait_seconds_count')).toBe('2'),
      { timeout: 20_000 },
    );
    await vi.waitFor(async () => expect(await readMetric('rowlock_pool_lent')).toBe('1'), {
      timeout: 20_000,
    });
    return { second };
  });
  await second;
  expect(await readMetric('rowlock_lock_wait_seconds_count')).toBe('3');
  expect(await readMetric('rowlock_pool_waiting')).toBe('0');
  expect(await readMetric('rowlock_draining')).toBe('0');
});

test('the waits for the lock of a job do not contain the waits for other locks', async () => {
  const { url } = await makeService(await makeDatabase());
  const post = async (path: string, body = {}): Promise<{ id: number }> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { id: number };
  };
  const endpoint = await post('/companies/1/endpoints', { url: 'http://localhost:4000/' });
  const delivery = await post(`/endpoints/${endpoint.id}/test`);
  const list = (await (await fetch(`${url}/tasks`)).json()) as { tasks: { id: number }[] };
  await post(`/tasks/${list.tasks[0]?.id}/cancel`);
  await post(`/deliveries/${delivery.id}/resend`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^rowlock_lock_wait_seconds_count 0$/m);
});

// If the health checks and the cleanup shared connections, the waiting cleanup would use every
// connection.
test('a service is ready while its cleanup waits for locked tables', async () => {
  const databaseUrl = await makeDatabase();
  const { log } = collectLog();
  const locks = 'LOCK TABLE tasks, workers, webhook_deliveries, idempotency_keys, events';
  await whileLocked(databaseUrl, locks, async ({ untilWaitedFor }) => {
    const { url } = await makeService(databaseUrl, { log });
    await untilWaitedFor(2);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

const makeWorkerService = (databaseUrl: string, options: Partial<WorkerServiceOptions>) =>
  startWorkerService({
    ...{ databaseUrl, host: '127.0.0.1', port: 0, places: 1 },
    ...{ auth: { kind: 'loopback' }, log: collectLog().log },
    ...options,
  });

// A start reads the table `installation`, and then adds its worker to the table `workers`.
// test/slow/service/program/service.test.ts tests a server and a worker process.
describe('a start that waits for a locked table', () => {
  test.for([
    ['service', 'installation', makeService],
    ['service', 'workers', makeService],
    ['worker', 'installation', makeWorkerService],
    ['worker', 'workers', makeWorkerService],
  ] as const)('of a %s (table %s) ends when somebody stops the start', async ([, table, make]) => {
    const databaseUrl = await makeDatabase();
    const port = await freePort();
    const stop = new AbortController();
    await whileLocked(databaseUrl, lockOf(table), async ({ untilWaitedFor }) => {
      const started = make(databaseUrl, { port, places: 1, stop: stop.signal });
      const ended = expect(started).rejects.toBe('stopped');
      await untilWaitedFor();
      stop.abort('stopped');
      await ended;
      await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow();
    });
  });
});

test('a service removes expired claims', async () => {
  const databaseUrl = await makeDatabase();
  await makeService(databaseUrl, { lab: false });
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at) VALUES (1, 1, now())`;
  await vi.waitFor(async () => expect(await sql`SELECT 1 FROM job_claims`).toHaveLength(0), {
    timeout: 20_000,
  });
});

test('a stopping service answers `shutting-down` until its notice time ends, and then closes its port', async () => {
  const service = await makeService(await makeDatabase());
  let hear = () => {};
  const stopped = service.stop(
    new Promise<void>((resolve) => {
      hear = resolve;
    }),
  );
  for (const path of ['/readyz', '/claim-job?jobId=1&recruiterId=1', '/jobs']) {
    const answer = await fetch(`${service.url}${path}`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'shutting-down' });
  }
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  hear();
  await stopped;
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
});

describe('a service with a worker', () => {
  /** A kind whose attempts end when the test says so. */
  const makeKind = () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run = vi.fn(async () => {
      await ended;
      return { kind: 'done' } as const;
    });
    return { end, run, kind: kindOf('test', run) };
  };

  async function makeTask(databaseUrl: string, runAt = new Date(0)) {
    const { db, close } = connect(databaseUrl, { connections: 1 });
    atEnd(() => close());
    const [id = 0n] = await enqueue(db, [{ kind: 'test', payload: {}, runAt, attempts: 1 }]);
    return { id, status: async () => (await findTask(db, id))?.status };
  }

  test('runs a task that a person has made due, and counts the task in its metrics', async () => {
    const databaseUrl = await makeDatabase();
    const { end, run, kind } = makeKind();
    const { url, worker } = await makeService(databaseUrl, { places: 3, kinds: [kind] });
    expect(worker?.places).toBe(3);
    const task = await makeTask(databaseUrl, new Date(Date.now() + 1e9));
    const readMetrics = async () => (await fetch(`${url}/metrics`)).text();
    expect(await readMetrics()).toMatch(/^rowlock_tasks_later 1$/m);
    expect((await fetch(`${url}/tasks/${task.id}/retry`, { method: 'POST' })).status).toBe(200);
    await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), { timeout: 20_000 });
    const running = await readMetrics();
    expect(running).toMatch(/^rowlock_tasks_running 1$/m);
    expect(running).toMatch(/^rowlock_worker_running 1$/m);
    expect(running).toMatch(/^rowlock_worker_places 3$/m);
    end();
    const done = 'rowlock_task_attempts_total{kind="test",outcome="done"} 1';
    await vi.waitFor(async () => expect(await readMetrics()).toContain(done), { timeout: 20_000 });
    expect(await task.status()).toBe('done');
    const text = await readMetrics();
    expect(text).toMatch(/^rowlock_task_pick_up_seconds_count 1$/m);
    expect(text).toMatch(/^rowlock_task_duration_seconds_count{kind="test"} 1$/m);
  });

  test('claims no more tasks after its stop begins, and lets running tasks end', async () => {
    const databaseUrl = await makeDatabase();
    const { end, run, kind } = makeKind();
    const service = await makeService(databaseUrl, { places: 4, kinds: [kind] });
    const running = await makeTask(databaseUrl);
    await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), { timeout: 20_000 });
    const stopped = service.stop();
    const late = await makeTask(databaseUrl);
    end();
    await stopped;
    expect(await Promise.all([running.status(), late.status()])).toEqual(['done', 'waiting']);
  });

  test('does not start if a living worker has the same name, and leaves nothing open', async () => {
    const databaseUrl = await makeDatabase();
    const first = await makeService(databaseUrl, { places: 1, workerName: 'ada' });
    const port = await freePort();
    const second = makeService(databaseUrl, { places: 1, workerName: 'ada', port });
    await expect(second).rejects.toThrow('A living worker has the name "ada"');
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    await first.stop();
    await makeService(databaseUrl, { places: 1, workerName: 'ada' });
  });
});

test('a worker process logs why its database refuses its statements', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  // A sequence also counts the calls of transactions that were rolled back.
  await sql`CREATE SEQUENCE refusals`;
  await sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM nextval('refusals'); RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$`;
  await sql`CREATE TRIGGER refuse BEFORE INSERT ON workers EXECUTE FUNCTION refuse()`;
  const { log, events } = collectLog();
  const stop = new AbortController();
  const started = makeWorkerService(databaseUrl, { log, stop: stop.signal });
  const ended = expect(started).rejects.toBe('stopped');
  const refusals = async () => Number((await sql`SELECT last_value FROM refusals`)[0]?.last_value);
  await vi.waitFor(async () => expect(await refusals()).toBeGreaterThan(2), { timeout: 20_000 });
  stop.abort('stopped');
  await ended;
  expect(events).toEqual([
    expect.objectContaining({
      event: 'the database has no room',
      reason: expect.stringMatching(
        /no room\. The disk of the database is full\. Make room there\.$/,
      ),
    }),
  ]);
});

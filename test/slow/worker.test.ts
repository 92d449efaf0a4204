import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/platform/db/client.ts';
import { missingMigrations } from '../../src/platform/db/migrations.ts';
import { version } from '../../src/platform/process/project.ts';
import { enqueue } from '../../src/service/queue/enqueue.ts';
import { findTask, type TaskStatus } from '../../src/service/queue/queries.ts';
import { atEnd, type Command, makeTmpDir, run, runWorker, start } from '../support/command.ts';
import { makeDatabase, makeEmptyDatabase } from '../support/database.ts';
import { whileLocked } from '../support/locks.ts';
import { EVENTS_OF_WORKER, eventsOf, logOf } from '../support/server.ts';
import { bearer, payloadOf, signedWith } from '../support/tokens.ts';
import { makeWay } from '../support/way.ts';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 40_000 });

const urlOf = async (worker: Command) => (await worker.says(/(http:\S+)\/readyz/))[1] ?? '';

async function readiness(url: string): Promise<string> {
  const answer = (await (await fetch(`${url}/readyz`)).json()) as { status: string; code?: string };
  return answer.code ?? answer.status;
}

/** Makes a database and a connection to this database. */
async function makeSql() {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  return { databaseUrl, sql };
}

/** Runs a worker that knows the kinds of tasks in `hold-worker.ts`. */
const runTestWorker = (databaseUrl: string, env: Record<string, string> = {}) =>
  run('test/support/hold-worker.ts', [], { DATABASE_URL: databaseUrl, WORKER_PORT: '0', ...env });

/** Adds a task in a separate lane. The task runs until `end` is called. */
async function makeTask(databaseUrl: string, kind: 'awaits-file' | 'blocks') {
  const { db, close } = connect(databaseUrl, { connections: 1 });
  atEnd(() => close());
  const file = path.join(makeTmpDir(), 'end');
  const [id = 0n] = await enqueue(db, [{ kind, lane: file, payload: { file }, attempts: 1 }]);
  const read = async () => {
    const task = await findTask(db, id);
    if (!task) throw new Error('no task');
    return task;
  };
  return {
    id,
    read,
    end: () => writeFileSync(file, ''),
    isBegunBy: (worker: Command) => worker.says(new RegExp(`attempt \\d+ of task ${id} begins`)),
    untilStatus: (status: TaskStatus) =>
      soon(async () => expect((await read()).status).toBe(status)),
    async endsOfAttempts() {
      return (await read()).attempts.map(({ ended, workerName }) => `${workerName}: ${ended}`);
    },
  };
}

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'a worker describes itself at its start, and stops on %s',
  async (signal) => {
    const { databaseUrl, sql } = await makeSql();
    const worker = runWorker({ DATABASE_URL: databaseUrl, WORKER_NAME: 'ada', WORKERS: '7' });
    const url = await urlOf(worker);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    await worker.says(/^Worker "ada" runs up to 7 tasks at the same time/m);
    expect(worker.stdout()).not.toContain(new URL(databaseUrl).password);
    expect(await readiness(url)).toBe('ready');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^rowlock_worker_places 7$/m);
    expect(await sql`SELECT name, places, stopped_at FROM workers`).toEqual([
      { name: 'ada', places: 7, stopped_at: null },
    ]);
    worker.child.kill(signal);
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    expect(worker.stdout()).toContain('Stopped.');
    expect(eventsOf(worker)).toEqual(EVENTS_OF_WORKER);
    const [started, stopped] = logOf(worker);
    expect(started).toMatchObject({ program: 'worker', version });
    expect(stopped).toMatchObject({ program: 'worker', cause: signal });
    const [row] = await sql`SELECT stopped_at FROM workers`;
    expect(row?.stopped_at).not.toBeNull();
  },
);

test.concurrent('a worker answers only requests for its health and its metrics', async () => {
  const { databaseUrl } = await makeSql();
  const url = await urlOf(runWorker({ DATABASE_URL: databaseUrl }));
  const ask = async (method: string, address: string, headers = {}) =>
    (await fetch(url + address, { method, headers })).status;
  expect(await ask('GET', '/jobs')).toBe(404);
  expect(await ask('GET', '/claim-job?jobId=1&recruiterId=1')).toBe(404);
  expect(await ask('POST', '/readyz')).toBe(405);
  expect(await ask('GET', '/')).toBe(404);
});

test.concurrent('a worker asks for tokens as the service does', async () => {
  const { databaseUrl } = await makeSql();
  const AUTH_JWT_SECRET = 'a secret of at least thirty-two bytes';
  const worker = runWorker({ DATABASE_URL: databaseUrl, HOST: '0.0.0.0', AUTH_JWT_SECRET });
  const url = `http://127.0.0.1:${new URL(await urlOf(worker)).port}`;
  const statusOf = async (address: string, headers = {}) =>
    (await fetch(url + address, { headers })).status;
  expect(await statusOf('/readyz')).toBe(200);
  expect(await statusOf('/metrics')).toBe(401);
  const tokenOf = async (role: string, sub: string) =>
    bearer(await signedWith(AUTH_JWT_SECRET, payloadOf(role, sub)));
  expect(await statusOf('/metrics', await tokenOf('company', '1'))).toBe(403);
  expect(await statusOf('/metrics', await tokenOf('admin', 'ada'))).toBe(200);
});

test.concurrent('a worker applies the migrations', async () => {
  const databaseUrl = await makeEmptyDatabase();
  await urlOf(runWorker({ DATABASE_URL: databaseUrl }));
  const { db, close } = connect(databaseUrl);
  expect(await missingMigrations(db)).toEqual([]);
  await close();
});

test.concurrent('a worker ends if npm is ended', async () => {
  const { databaseUrl } = await makeSql();
  const npm = start('npm', ['run', 'worker'], { DATABASE_URL: databaseUrl, WORKER_PORT: '0' });
  const url = await urlOf(npm);
  npm.child.kill('SIGKILL');
  await npm.says(/Stopped\./);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

describe.concurrent('a worker ends with one line', () => {
  async function expectOneLine(worker: Command, code: number, words: RegExp) {
    expect((await worker.ended).code).toBe(code);
    expect(worker.stdout()).toBe('');
    expect(worker.stderr().trimEnd().split('\n')).toHaveLength(1);
    expect(worker.stderr()).toMatch(words);
  }

  test('without DATABASE_URL, since the embedded PostgreSQL belongs to npm start', async () => {
    await expectOneLine(runWorker({}), 2, /at DATABASE_URL, which is not set.*npm start has/);
  });

  test('with WORKERS=0', async () => {
    const worker = runWorker({ DATABASE_URL: await makeDatabase(), WORKERS: '0' });
    await expectOneLine(worker, 2, /^npm run worker needs WORKERS to be at least 1/);
  });

  test('if another living worker has the same name', async () => {
    const { databaseUrl, sql } = await makeSql();
    const env = { DATABASE_URL: databaseUrl, WORKER_NAME: 'ada' };
    await urlOf(runWorker(env));
    await expectOneLine(runWorker(env), 1, /^A living worker has the name "ada"/);
    expect(await sql`SELECT FROM workers`).toHaveLength(1);
  });

  test('if its port is in use, and leaves its name free', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    atEnd(() => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const { databaseUrl, sql } = await makeSql();
    const worker = runWorker({ DATABASE_URL: databaseUrl, WORKER_PORT: String(port) });
    await expectOneLine(worker, 1, new RegExp(`^Port ${port} on 127.0.0.1.*WORKER_PORT\\.$`, 'm'));
    expect(await sql`SELECT FROM workers`).toHaveLength(0);
  });

  test('if HOST lets other machines in without tokens', async () => {
    const worker = runWorker({ DATABASE_URL: await makeDatabase(), HOST: '0.0.0.0' });
    await expectOneLine(worker, 2, /^HOST lets other machines in/);
  });
});

describe.concurrent('a worker that stops', () => {
  test('lets a running task end', async () => {
    const { databaseUrl } = await makeSql();
    const worker = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
    const task = await makeTask(databaseUrl, 'awaits-file');
    await task.isBegunBy(worker);
    worker.child.kill('SIGINT');
    await worker.says(/^Stopping/m);
    task.end();
    expect((await worker.ended).code).toBe(0);
    expect(await task.endsOfAttempts()).toEqual(['ada: done']);
  });

  test('gives unfinished tasks back, and another worker runs these tasks before their leases end', async () => {
    const { databaseUrl } = await makeSql();
    const first = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
    const task = await makeTask(databaseUrl, 'awaits-file');
    await task.isBegunBy(first);
    const second = runTestWorker(databaseUrl, { WORKER_NAME: 'grace' });
    await urlOf(second);
    first.child.kill('SIGINT');
    await first.says(/^Stopping/m);
    const later = await makeTask(databaseUrl, 'awaits-file');
    await later.isBegunBy(second);
    await task.isBegunBy(second);
    expect(await task.endsOfAttempts()).toEqual(['ada: given back', 'grace: running']);
    // The task may have one attempt. The attempt that was given back does not count, so the second
    // worker may run the task.
    expect((await task.read()).attemptsLeft).toBe(0);
    expect((await first.ended).code).toBe(0);
    expect(logOf(first)).toContainEqual(
      expect.objectContaining({ event: 'drained', of: 'tasks', givenBack: 1 }),
    );
    task.end();
    await task.untilStatus('done');
  });

  test('ends immediately on a second signal, and its attempt is lost when the lease ends', async () => {
    const { databaseUrl } = await makeSql();
    const first = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
    const task = await makeTask(databaseUrl, 'awaits-file');
    await task.isBegunBy(first);
    first.child.kill('SIGINT');
    await first.says(/^Stopping/m);
    const again = setInterval(() => first.child.kill('SIGINT'), 100);
    expect((await first.ended).code).toBe(130);
    clearInterval(again);
    expect(eventsOf(first)).toEqual(['start', 'stop', 'drain begun', 'stop cut short']);
    expect(logOf(first).at(-1)).toMatchObject({ level: 'error', code: 130 });
    task.end();
    await urlOf(runTestWorker(databaseUrl, { WORKER_NAME: 'grace' }));
    // The task had one attempt, and this attempt is lost. So the task is dead.
    await task.untilStatus('dead');
    expect(await task.endsOfAttempts()).toEqual(['ada: lost']);
  });

  test('ends although the database does not answer', async () => {
    const { databaseUrl } = await makeSql();
    const way = await makeWay(databaseUrl);
    const worker = runTestWorker(way.url);
    const task = await makeTask(databaseUrl, 'awaits-file');
    await task.isBegunBy(worker);
    way.freeze(true);
    await soon(() => expect(way.swallowed()).toBeGreaterThan(0));
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toEqual({ code: 0, signal: null });
  });
});

test.concurrent('after SIGKILL, another worker runs the task again, and later the name is free', async () => {
  const { databaseUrl, sql } = await makeSql();
  const first = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
  const task = await makeTask(databaseUrl, 'awaits-file');
  await sql`UPDATE tasks SET attempts_left = 5 WHERE attempt = 0`;
  await task.isBegunBy(first);
  first.child.kill('SIGKILL');
  await first.ended;
  const early = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
  expect((await early.ended).code).toBe(1);
  expect(early.stderr()).toMatch(/^A living worker has the name "ada".*free in \d+ s/);
  const second = runTestWorker(databaseUrl, { WORKER_NAME: 'grace' });
  await task.isBegunBy(second);
  expect(await task.endsOfAttempts()).toEqual(['ada: lost', 'grace: running']);
  task.end();
  await task.untilStatus('done');
  const url = await urlOf(second);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^rowlock_tasks_taken_over_total 1$/m);
  await soon(async () => {
    const [ada] = await sql`SELECT stopped_at FROM workers WHERE name = 'ada'`;
    expect(ada?.stopped_at).not.toBeNull();
  });
  await urlOf(runTestWorker(databaseUrl, { WORKER_NAME: 'ada' }));
});

describe.concurrent('GET /readyz of a worker', () => {
  test('is 503 while the worker cannot renew its lease, and 200 after that', async () => {
    const { databaseUrl } = await makeSql();
    const worker = runTestWorker(databaseUrl);
    const url = await urlOf(worker);
    await whileLocked(databaseUrl, 'LOCK TABLE workers IN EXCLUSIVE MODE', () =>
      soon(async () => expect(await readiness(url)).toBe('worker-cannot-renew')),
    );
    await soon(async () => expect(await readiness(url)).toBe('ready'));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('is 503 while the database does not answer, and 200 after that', async () => {
    const { databaseUrl } = await makeSql();
    const way = await makeWay(databaseUrl);
    const url = await urlOf(runTestWorker(way.url));
    way.freeze(true);
    await soon(async () => expect(await readiness(url)).toBe('database-unreachable'));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).not.toMatch(/^rowlock_tasks_waiting \d/m);
    expect(metrics).toMatch(/^rowlock_worker_places 4$/m);
    way.freeze(false);
    await soon(async () => expect(await readiness(url)).toBe('ready'));
    const later = await (await fetch(`${url}/metrics`)).text();
    expect(later).toMatch(/^rowlock_tasks_waiting 0$/m);
  });
});

test.concurrent('an attempt writes nothing if its event loop was blocked until its lease had ended', async () => {
  const { databaseUrl, sql } = await makeSql();
  const worker = runTestWorker(databaseUrl, { WORKER_NAME: 'ada' });
  const url = await urlOf(worker);
  const task = await makeTask(databaseUrl, 'blocks');
  await task.isBegunBy(worker);
  await soon(async () => {
    const [held] = await sql`SELECT lease_until <= statement_timestamp() AS ended FROM tasks`;
    expect(held).toEqual({ ended: true });
  });
  task.end();
  // The task had one attempt, so the task is dead as soon as a worker finds that the lease has
  // ended.
  await task.untilStatus('dead');
  expect(await task.endsOfAttempts()).toEqual(['ada: lost']);
  await soon(async () => expect(await readiness(url)).toBe('ready'));
});

import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { enqueue } from '../../../../src/service/queue/enqueue.ts';
import { makeApp } from '../../../support/app.ts';
import {
  addTask,
  endless,
  kindOf,
  makeWorker,
  taskOf,
  untilStatus,
} from '../../../support/tasks.ts';

/** The API for requests that change nothing and need no tasks. */
const { call } = await makeApp();

const keyed = (key: string) => ({ 'Idempotency-Key': key });
const idsOf = (tasks: { id: number }[]) => tasks.map(({ id }) => id);

const failing = kindOf('failing', async () => ({ kind: 'failed', error: 'the receiver said no' }));
const good = kindOf('good', async () => ({ kind: 'done' }));

describe.concurrent('GET /tasks', () => {
  test('lists tasks by status and kind, a page at a time', async () => {
    const made = await makeApp();
    await makeWorker(made.databaseUrl, { kinds: [failing, good, endless('endless')] });
    const dead = [await addTask(made, 'failing'), await addTask(made, 'failing')];
    const done = await addTask(made, 'good');
    const running = await addTask(made, 'endless');
    const waiting = [await addTask(made, 'unknown'), await addTask(made, 'other')];
    for (const id of dead) await untilStatus(made, id, 'dead');
    await untilStatus(made, done, 'done');
    await untilStatus(made, running, 'running');
    const list = async (query: string) => (await made.call('GET', `/tasks?${query}`)).body;
    expect(idsOf((await list('')).tasks)).toEqual([...dead, done, running, ...waiting]);
    expect(idsOf((await list('status=dead')).tasks)).toEqual(dead);
    expect(idsOf((await list('status=done')).tasks)).toEqual([done]);
    expect(idsOf((await list('status=running')).tasks)).toEqual([running]);
    expect(idsOf((await list('status=waiting')).tasks)).toEqual(waiting);
    expect(idsOf((await list('status=waiting&kind=other')).tasks)).toEqual([waiting[1]]);
    expect(await list('status=cancelled')).toEqual({ tasks: [], nextCursor: null });
    const first = await list('status=dead&limit=1');
    expect([idsOf(first.tasks), first.nextCursor]).toEqual([[dead[0]], String(dead[0])]);
    const second = await list(`status=dead&limit=1&cursor=${first.nextCursor}`);
    expect([idsOf(second.tasks), second.nextCursor]).toEqual([[dead[1]], null]);
  });

  test('examines a limited number of tasks for a page with a kind', async () => {
    const made = await makeApp();
    await enqueue(made.db, Array<ReturnType<typeof taskOf>>(5_001).fill(taskOf('frequent')));
    const rare = await addTask(made, 'rare');
    const first = (await made.call('GET', '/tasks?kind=rare')).body;
    expect(first).toEqual({ tasks: [], nextCursor: '5000' });
    const next = (await made.call('GET', `/tasks?kind=rare&cursor=${first.nextCursor}`)).body;
    expect([idsOf(next.tasks), next.nextCursor]).toEqual([[rare], null]);
  });

  test.each([
    'status=late',
    'status=',
    'status=dead&status=done',
    'kind=',
    'kind=a&kind=b',
    `kind=${'x'.repeat(101)}`,
    'kind=%00',
    'limit=0',
    'limit=101',
    'cursor=x',
    'order=asc',
  ])('refuses ?%s', async (query) => {
    const { status, body } = await call('GET', `/tasks?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
  });

  test('names the statuses if the status is wrong', async () => {
    const detail = 'must be one of waiting, running, done, dead, cancelled';
    const { body } = await call('GET', '/tasks?status=late');
    expect(body.errors).toEqual([{ parameter: 'status', detail }]);
  });
});

describe.concurrent('GET /tasks/{id}', () => {
  test('shows the times, the worker, the end and the error of each attempt', async () => {
    const made = await makeApp();
    const worker = await makeWorker(made.databaseUrl, { kinds: [failing], name: 'worker-7' });
    const id = await addTask(made, 'failing', 2);
    await untilStatus(made, id, 'dead');
    const { body } = await made.call('GET', `/tasks/${id}`);
    const attempt = {
      workerId: Number(worker.id),
      workerName: 'worker-7',
      beganAt: expect.any(String),
      endedAt: expect.any(String),
      ended: 'failed',
      error: 'the receiver said no',
    };
    expect(body).toMatchObject({
      ...{ kind: 'failing', lane: '', payload: { about: 'failing' }, attempt: 2, attemptsLeft: 0 },
      ...{ workerId: Number(worker.id), leaseUntil: null, error: 'the receiver said no' },
      attempts: [
        { number: 1, ...attempt },
        { number: 2, ...attempt },
      ],
    });
    expect(Date.parse(body.finishedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
  });

  test('shows the attempt that runs', async () => {
    const made = await makeApp();
    await makeWorker(made.databaseUrl, { kinds: [endless('endless')], name: 'worker-8' });
    const id = await addTask(made, 'endless');
    await untilStatus(made, id, 'running');
    const { body } = await made.call('GET', `/tasks/${id}`);
    expect(body.attempts).toMatchObject([
      { number: 1, workerName: 'worker-8', endedAt: null, ended: 'running', error: null },
    ]);
    expect(Date.parse(body.leaseUntil)).toBeGreaterThan(Date.parse(body.beganAt));
  });
});

describe.concurrent('POST /tasks/{id}/retry', () => {
  test('runs a dead task again', async () => {
    let isGood = false;
    const fickle = kindOf('fickle', async () =>
      isGood ? { kind: 'done' } : { kind: 'failed', error: 'not yet' },
    );
    const onDueTask = vi.fn();
    const made = await makeApp({ onDueTask });
    await makeWorker(made.databaseUrl, { kinds: [fickle] });
    const id = await addTask(made, 'fickle');
    await untilStatus(made, id, 'dead');
    isGood = true;
    const { status, body } = await made.call('POST', `/tasks/${id}/retry`);
    expect([status, body.status, body.attemptsLeft]).toEqual([200, 'waiting', 1]);
    expect(onDueTask).toHaveBeenCalledOnce();
    await untilStatus(made, id, 'done');
    const { attempts } = (await made.call('GET', `/tasks/${id}`)).body;
    expect(attempts.map(({ ended }: { ended: string }) => ended)).toEqual(['failed', 'done']);
  });

  test('makes a waiting task due immediately', async () => {
    const made = await makeApp();
    const [id] = await enqueue(made.db, [
      { ...taskOf('later'), runAt: new Date(Date.now() + 1e9) },
    ]);
    const before = (await made.call('GET', `/tasks/${id}`)).body;
    const { body } = await made.call('POST', `/tasks/${id}/retry`);
    expect(Date.parse(before.runAt) - Date.parse(body.runAt)).toBeGreaterThan(1e8);
  });

  test('happens once for all requests with the same idempotency key', async () => {
    const made = await makeApp();
    await makeWorker(made.databaseUrl, { kinds: [failing] });
    const id = await addTask(made, 'failing');
    await untilStatus(made, id, 'dead');
    const retry = () => made.call('POST', `/tasks/${id}/retry`, undefined, keyed('again'));
    const first = await retry();
    await untilStatus(made, id, 'dead');
    const second = await retry();
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expect(second.text).toBe(first.text);
    const { body } = await made.call('GET', `/tasks/${id}`);
    expect([body.status, body.attempts.length]).toEqual(['dead', 2]);
  });

  test('changes neither a running nor a done task', async () => {
    const onDueTask = vi.fn();
    const made = await makeApp({ onDueTask });
    await makeWorker(made.databaseUrl, { kinds: [good, endless('endless')] });
    const done = await addTask(made, 'good');
    const running = await addTask(made, 'endless');
    await untilStatus(made, done, 'done');
    await untilStatus(made, running, 'running');
    const refused = await made.call('POST', `/tasks/${done}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, 'task-finished']);
    const late = await made.call('POST', `/tasks/${running}/retry`);
    expect([late.status, late.body.code]).toEqual([409, 'task-running']);
    expect(onDueTask).not.toHaveBeenCalled();
  });
});

describe.concurrent('POST /tasks/{id}/cancel', () => {
  test('ends a waiting task, and no worker runs the task later', async () => {
    const made = await makeApp();
    const run = vi.fn(async () => ({ kind: 'done' }) as const);
    const id = await addTask(made, 'never');
    const { status, body } = await made.call('POST', `/tasks/${id}/cancel`);
    expect([status, body.status, body.attempts]).toEqual([200, 'cancelled', []]);
    const marker = kindOf('marker', async () => ({ kind: 'done' }));
    await makeWorker(made.databaseUrl, { kinds: [kindOf('never', run), marker] });
    await untilStatus(made, await addTask(made, 'marker'), 'done');
    expect(run).not.toHaveBeenCalled();
  });

  test('changes no finished task, and a cancelled task can run again', async () => {
    const made = await makeApp();
    const id = await addTask(made, 'good');
    await made.call('POST', `/tasks/${id}/cancel`);
    const again = await made.call('POST', `/tasks/${id}/cancel`);
    expect([again.status, again.body.code]).toEqual([409, 'task-finished']);
    expect((await made.call('POST', `/tasks/${id}/retry`)).body.status).toBe('waiting');
    await makeWorker(made.databaseUrl, { kinds: [good] });
    await untilStatus(made, id, 'done');
  });

  test('happens once for all requests with the same idempotency key', async () => {
    const made = await makeApp();
    const id = await addTask(made, 'good');
    const cancel = () => made.call('POST', `/tasks/${id}/cancel`, undefined, keyed('stop'));
    const first = await cancel();
    await made.call('POST', `/tasks/${id}/retry`);
    expect((await cancel()).text).toBe(first.text);
    expect((await made.call('GET', `/tasks/${id}`)).body.status).toBe('waiting');
  });
});

describe.concurrent.each(['GET /tasks/ID', 'POST /tasks/ID/retry', 'POST /tasks/ID/cancel'])(
  '%s',
  (route) => {
    const [method = '', path = ''] = route.split(' ');

    test.each(['999999', '9223372036854775807'])('does not find task %s', async (id) => {
      const { status, body } = await call(method, path.replace('ID', id));
      expect([status, body.code]).toEqual([404, 'task-not-found']);
    });

    test.each(['0', '-1', 'x', '1.5', '9223372036854775808', '%00'])(
      'refuses the id %s',
      async (id) => {
        const { status, body } = await call(method, path.replace('ID', id));
        expect([status, body.code]).toEqual([400, 'invalid-request']);
      },
    );
  },
);

describe.concurrent('GET /workers', () => {
  test('lists workers, the newest first, a page at a time', async () => {
    const { db, call } = await makeApp();
    await db.execute(sql`INSERT INTO workers (name, version, places, lease_until)
      SELECT 'worker-' || n, '1.2.3', 4, now() + interval '9 hours' FROM generate_series(1, 3) AS n`);
    const namesOf = (workers: { name: string }[]) => workers.map(({ name }) => name);
    const first = (await call('GET', '/workers?limit=2')).body;
    expect(namesOf(first.workers)).toEqual(['worker-3', 'worker-2']);
    expect(first.workers[0]).toMatchObject({ status: 'living', places: 4, holds: [] });
    expect(first.nextCursor).toBe(String(first.workers[1].id));
    const rest = (await call('GET', `/workers?limit=2&cursor=${first.nextCursor}`)).body;
    expect([namesOf(rest.workers), rest.nextCursor]).toEqual([['worker-1'], null]);
  });

  test('shows a worker as lost if its heartbeats have ended', async () => {
    const { db, call } = await makeApp();
    await db.execute(sql`INSERT INTO workers (name, version, places, lease_until)
      VALUES ('worker-3', '1.2.3', 4, statement_timestamp())`);
    const { workers } = (await call('GET', '/workers')).body;
    expect(workers).toMatchObject([{ name: 'worker-3', status: 'lost', stoppedAt: null }]);
  });

  test.each(['limit=x', 'cursor=0', 'status=living'])('refuses ?%s', async (query) => {
    const { status, body } = await call('GET', `/workers?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
  });
});

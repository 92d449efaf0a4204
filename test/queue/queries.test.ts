import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ClaimedTask } from '../../src/queue/claim.ts';
import { clearTasks, clearWorkers } from '../../src/queue/clear.ts';
import { finishDone, finishFailed } from '../../src/queue/finish.ts';
import { pauseLane } from '../../src/queue/lanes.ts';
import {
  cancelTask,
  findTask,
  listTasks,
  MOST_ATTEMPTS,
  readQueueFigures,
  retryTask,
  taskStatuses,
} from '../../src/queue/queries.ts';
import { holdOf, makeQueue } from '../support/queue.ts';

/** A queue with one task of each status. */
async function makeOfEach() {
  const queue = await makeQueue();
  const { db, add, claim } = queue;
  const [done, dead, cancelled, running] = await add({}, {}, {}, {});
  const claimed = (await claim()) as ClaimedTask[];
  const of = (id?: bigint) => holdOf(claimed.find((task) => task.id === id) as ClaimedTask);
  await db.transaction((tx) => finishDone(tx, [of(done)]));
  await db.transaction((tx) =>
    finishFailed(tx, [{ ...of(dead), error: 'no', pauseMs: undefined }]),
  );
  await cancelTask(db, cancelled as bigint);
  const [waiting] = await add({});
  return { ...queue, ids: { waiting, running, done, dead, cancelled } as Record<string, bigint> };
}

test.each(taskStatuses)('lists and finds the %s tasks', async (status) => {
  const { db, ids } = await makeOfEach();
  const id = ids[status] as bigint;
  expect(await listTasks(db, { status }, { limit: 10 })).toMatchObject([{ id, status }]);
  expect(await findTask(db, id)).toMatchObject({ id, status });
  expect(await listTasks(db, { status, kind: 'other' }, { limit: 10 })).toEqual([]);
});

test('lists tasks a page at a time', async () => {
  const { db, add } = await makeQueue();
  const ids = await add({}, {}, {});
  const first = await listTasks(db, {}, { limit: 2 });
  const second = await listTasks(db, {}, { cursor: ids[1] as bigint, limit: 2 });
  expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
});

describe('retry', () => {
  test('makes a dead, cancelled or waiting task due now, with an attempt left', async () => {
    const { db, ids, add, claim } = await makeOfEach();
    const [later] = await add({ runAt: new Date(Date.now() + 60_000), attempts: 1 });
    for (const id of [ids.dead, ids.cancelled, later] as bigint[])
      expect(await retryTask(db, id)).toEqual({ kind: 'retried' });
    const claimed = await claim();
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(
      [ids.waiting, ids.dead, ids.cancelled, later].toSorted(),
    );
  });

  test('gives a task without attempts one more attempt', async () => {
    const { db, add, claim, endLeases } = await makeQueue();
    const [id] = await add({ attempts: 1 });
    await claim();
    await endLeases();
    await claim();
    expect(await retryTask(db, id as bigint)).toEqual({ kind: 'retried' });
    expect(await claim()).toMatchObject([{ id, attempt: 2, attemptsLeft: 0 }]);
  });

  test('leaves running and done tasks', async () => {
    const { db, ids } = await makeOfEach();
    expect(await retryTask(db, ids.running as bigint)).toEqual({ kind: 'running' });
    expect(await retryTask(db, ids.done as bigint)).toEqual({ kind: 'done' });
    expect(await retryTask(db, 999n)).toEqual({ kind: 'no-such-task' });
  });
});

test('cancel leaves finished tasks, and says how they ended', async () => {
  const { db, ids } = await makeOfEach();
  for (const ended of ['done', 'dead', 'cancelled'])
    expect(await cancelTask(db, ids[ended] as bigint)).toEqual({ kind: 'finished', ended });
  expect(await cancelTask(db, 999n)).toEqual({ kind: 'no-such-task' });
  expect(await cancelTask(db, ids.waiting as bigint)).toEqual({ kind: 'cancelled' });
  expect(await cancelTask(db, ids.running as bigint)).toEqual({ kind: 'cancelled' });
});

test('the figures count the tasks of each status', async () => {
  const { db, add } = await makeOfEach();
  await add({ runAt: new Date(Date.now() - 50_000) }, { runAt: new Date(Date.now() + 50_000) });
  const { oldestWaitingSeconds, ...counts } = await readQueueFigures(db);
  expect(counts).toEqual({ waiting: 2, later: 1, running: 1, dead: 1 });
  expect(oldestWaitingSeconds).toBeGreaterThanOrEqual(49);
});

test('the figures count the tasks of a lane that pauses among those that are due later', async () => {
  const { db, add } = await makeQueue();
  await add({ lane: 'a', runAt: new Date(Date.now() - 50_000) });
  await db.transaction((tx) => pauseLane(tx, 'a', 60_000));
  expect(await readQueueFigures(db)).toMatchObject({
    waiting: 0,
    later: 1,
    oldestWaitingSeconds: 0,
  });
});

test('the figures of an empty queue are zero', async () => {
  const { db } = await makeQueue();
  expect(await readQueueFigures(db)).toEqual({
    waiting: 0,
    later: 0,
    running: 0,
    dead: 0,
    oldestWaitingSeconds: 0,
  });
});

describe('clearing', () => {
  const age = (hours: number) =>
    sql`update tasks set finished_at = finished_at - make_interval(hours => ${hours})`;
  const left = async ({ db }: Awaited<ReturnType<typeof makeOfEach>>) =>
    (await listTasks(db, {}, { limit: 10 })).map(({ status }) => status).toSorted();

  test('removes done and cancelled tasks after their hours, and dead ones after 30 days', async () => {
    const queue = await makeOfEach();
    const clear = () => queue.db.transaction((tx) => clearTasks(tx, 24, 100));
    await queue.db.execute(age(23));
    expect(await clear()).toBe(0);
    await queue.db.execute(age(1));
    expect(await clear()).toBe(2);
    expect(await left(queue)).toEqual(['dead', 'running', 'waiting']);
    await queue.db.execute(age(30 * 24));
    expect(await clear()).toBe(1);
    expect(await left(queue)).toEqual(['running', 'waiting']);
    expect(await queue.db.execute(sql`select 1 from task_attempts`)).toHaveLength(0);
  });

  test('removes no more than the limit at once', async () => {
    const { db } = await makeOfEach();
    await db.execute(age(24));
    const clear = () => db.transaction((tx) => clearTasks(tx, 24, 1));
    expect([await clear(), await clear(), await clear()]).toEqual([1, 1, 0]);
  });

  test('removes workers a day after they stopped', async () => {
    const { db } = await makeQueue();
    await db.execute(sql`insert into workers (name, version, lease_until, places, stopped_at)
      select hours, '1', now(), 1, now() - make_interval(hours => hours)
      from generate_series(22, 26) as hours`);
    expect(await db.transaction((tx) => clearWorkers(tx, 100))).toBe(3);
  });
});

test('a task that was retried ten thousand times shows its latest 100 attempts', async () => {
  const { db, add } = await makeQueue();
  const [id] = (await add({})) as [bigint];
  await db.execute(sql`insert into task_attempts
    select ${String(id)}, n, 1, now(), now(), 'failed', n from generate_series(1, 10000) as n`);
  const found = await findTask(db, id);
  expect(found?.attempts).toHaveLength(MOST_ATTEMPTS);
  expect(found?.attempts[0]).toMatchObject({ attempt: 10_000 - MOST_ATTEMPTS + 1 });
  expect(found?.attempts.at(-1)).toMatchObject({ attempt: 10_000 });
});

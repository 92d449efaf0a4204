import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { pauseLane } from '../../../src/service/queue/lanes.ts';
import {
  findTask,
  listTasks,
  MOST_ATTEMPTS,
  readQueueFigures,
  taskStatuses,
} from '../../../src/service/queue/queries.ts';
import { lockOf, whileLocked } from '../../support/locks.ts';
import { makeOfEach, makeQueue } from '../../support/queue.ts';

test.each(taskStatuses)('lists and finds the %s tasks', async (status) => {
  const { db, ids } = await makeOfEach();
  const id = ids[status] as bigint;
  expect(await listTasks(db, { status }, { limit: 10 })).toMatchObject([{ id, status }]);
  expect(await findTask(db, id)).toMatchObject({ id, status });
  expect(await listTasks(db, { status, kind: 'other' }, { limit: 10 })).toEqual([]);
});

test('an attempt that fails while its task is read is listed once', async () => {
  const {
    db,
    url,
    ids: { running = 0n },
  } = await makeOfEach();
  const { reading } = await whileLocked(url, lockOf('task_attempts'), async (holder) => {
    const read = findTask(db, running);
    await holder.untilWaitedFor();
    await holder.tx`
      insert into task_attempts (task_id, attempt, worker_id, began_at, ended_at, ended, error)
      select id, attempt, worker_id, began_at, now(), 'failed', 'no' from tasks
      where id = ${String(running)}`;
    return { reading: read };
  });
  const { attempts } = (await reading) ?? {};
  expect(attempts).toMatchObject([{ attempt: 1, ended: 'running' }]);
});

test('lists tasks a page at a time', async () => {
  const { db, add } = await makeQueue();
  const ids = await add({}, {}, {});
  const first = await listTasks(db, {}, { limit: 2 });
  const second = await listTasks(db, {}, { cursor: ids[1] as bigint, limit: 2 });
  expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
});

test('the figures count the tasks of each status', async () => {
  const { db, add } = await makeOfEach();
  await add({ runAt: new Date(Date.now() - 50_000) }, { runAt: new Date(Date.now() + 50_000) });
  const { oldestWaitingSeconds, ...counts } = await readQueueFigures(db);
  expect(counts).toEqual({ waiting: 2, later: 1, running: 1, dead: 1 });
  expect(oldestWaitingSeconds).toBeGreaterThanOrEqual(49);
});

test('the figures count the due tasks of a paused lane as tasks that are due later', async () => {
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

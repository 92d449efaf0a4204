import { describe, expect, test } from 'vitest';
import { cancelTask, retryTask } from '../../../src/service/queue/intervene.ts';
import { makeOfEach, makeQueue } from '../../support/queue.ts';

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

  test('gives a task without attempts left one more attempt', async () => {
    const { db, add, claim, endLeases } = await makeQueue();
    const [id] = await add({ attempts: 1 });
    await claim();
    await endLeases();
    await claim();
    expect(await retryTask(db, id as bigint)).toEqual({ kind: 'retried' });
    expect(await claim()).toMatchObject([{ id, attempt: 2, attemptsLeft: 0 }]);
  });

  test('does not change running and done tasks', async () => {
    const { db, ids } = await makeOfEach();
    expect(await retryTask(db, ids.running as bigint)).toMatchObject({ kind: 'running' });
    expect(await retryTask(db, ids.done as bigint)).toEqual({ kind: 'done' });
    expect(await retryTask(db, 999n)).toEqual({ kind: 'no-such-task' });
  });
});

test('cancel does not change a finished task, and returns how the task ended', async () => {
  const { db, ids } = await makeOfEach();
  for (const ended of ['done', 'dead', 'cancelled'])
    expect(await cancelTask(db, ids[ended] as bigint)).toEqual({ kind: 'finished', ended });
  expect(await cancelTask(db, 999n)).toEqual({ kind: 'no-such-task' });
  expect(await cancelTask(db, ids.waiting as bigint)).toEqual({ kind: 'cancelled' });
  expect(await cancelTask(db, ids.running as bigint)).toEqual({ kind: 'cancelled' });
});

import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { clearTasks, clearWorkers } from '../../../src/service/queue/clear.ts';
import { listTasks } from '../../../src/service/queue/queries.ts';
import { makeOfEach, makeQueue } from '../../support/queue.ts';

describe('the cleanup', () => {
  const age = (hours: number) =>
    sql`update tasks set finished_at = finished_at - make_interval(hours => ${hours})`;
  const left = async ({ db }: Awaited<ReturnType<typeof makeOfEach>>) =>
    (await listTasks(db, {}, { limit: 10 })).map(({ status }) => status).toSorted();

  test('removes done and cancelled tasks after 24 hours, and dead tasks after 30 days', async () => {
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

  test('removes no more tasks than the limit in one call', async () => {
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

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { enqueue } from '../../../../src/service/queue/enqueue.ts';
import { removeOldDeliveries } from '../../../../src/service/webhooks/deliveries/clear.ts';
import { deliveries, deliveryAttempts } from '../../../../src/service/webhooks/tables.ts';
import { makeApp } from '../../../support/app.ts';

const DAYS = 30;

test('old deliveries are removed with their attempts, a limited number at a time', async () => {
  const { db } = await makeApp();
  await db.execute(sql`
    INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at)
    SELECT 1, 'job.full', '{}', 0, now() - make_interval(days => 34 - n) + interval '1 minute'
    FROM generate_series(1, 8) AS n`);
  await db.execute(sql`
    INSERT INTO webhook_attempts (delivery_id, at, milliseconds)
    SELECT id, now(), 1 FROM webhook_deliveries, generate_series(1, 2)`);
  const remove = removeOldDeliveries(DAYS);
  const clear = () => db.transaction((tx) => remove(tx, 3));
  expect([await clear(), await clear(), await clear()]).toEqual([3, 0, 0]);
  expect(await db.$count(deliveries)).toBe(5);
  expect(await db.$count(deliveryAttempts)).toBe(10);
});

test('old deliveries with unfinished tasks stay, and do not delay the removal of other old deliveries', async () => {
  const { db } = await makeApp();
  const task = { kind: 'webhook', payload: {}, attempts: 1 };
  const unfinished = await enqueue(db, [task, task, task]);
  for (const taskId of [...unfinished, 0, 0])
    await db.execute(sql`
      INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at)
      VALUES (1, 'job.full', '{}', ${taskId}, now() - interval '31 days')`);
  const remove = removeOldDeliveries(DAYS);
  const clear = () => db.transaction((tx) => remove(tx, 3));
  expect([await clear(), await clear()]).toEqual([3, 2]);
  expect(await db.$count(deliveries)).toBe(3);
  await db.execute(sql`UPDATE tasks SET finished_at = now(), ended = 'dead'`);
  expect([await clear(), await clear()]).toEqual([3, 0]);
  expect(await db.$count(deliveries)).toBe(0);
});

test('a waiting delivery is removed if its latest send or resend began over 30 days ago', async () => {
  const { db } = await makeApp();
  const task = { kind: 'webhook', payload: {}, attempts: 1 };
  const [waiting, resent] = await enqueue(db, [task, task]);
  for (const taskId of [waiting, resent])
    await db.execute(sql`
      INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at)
      VALUES (1, 'job.full', '{}', ${String(taskId)}, now() - interval '31 days')`);
  await db.execute(sql`
    UPDATE tasks SET created_at = now() - interval '31 days' WHERE id = ${String(waiting)}`);
  const remove = removeOldDeliveries(1);
  await db.transaction((tx) => remove(tx, 10));
  expect(await db.select({ taskId: deliveries.taskId }).from(deliveries)).toEqual([
    { taskId: resent },
  ]);
});

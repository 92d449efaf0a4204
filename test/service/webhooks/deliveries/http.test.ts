import { and, eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { tasks } from '../../../../src/service/queue/tables.ts';
import { MOST_ATTEMPTS } from '../../../../src/service/webhooks/deliveries/queries.ts';
import { deliveries, deliveryAttempts } from '../../../../src/service/webhooks/tables.ts';
import { makeApp } from '../../../support/app.ts';
import { endpointsOf } from '../../../support/endpoints.ts';
import { whileLocked } from '../../../support/locks.ts';

const { db, call, databaseUrl, app } = await makeApp();
const { makeEndpoint } = endpointsOf({ db, call });

describe('a test message', () => {
  test('becomes a delivery that waits', async () => {
    const { id } = await makeEndpoint({ types: ['job.full'] });
    const { status, headers, body } = await call('POST', `/endpoints/${id}/test`);
    expect(status).toBe(201);
    expect(headers.get('Location')).toBe(`/deliveries/${body.id}`);
    expect(body).toMatchObject({
      endpointId: id,
      type: 'endpoint.test',
      job: null,
      status: 'waiting',
      messageId: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      attemptCount: 0,
      lastAttempt: null,
      attempts: [],
    });
    expect(JSON.parse(body.body)).toEqual({
      type: 'endpoint.test',
      timestamp: expect.stringMatching(/Z$/),
      data: { endpoint: { id } },
    });
    expect((await call('GET', `/deliveries/${body.id}`)).body).toEqual(body);
  });

  test('is made once for all requests with the same idempotency key', async () => {
    const { id } = await makeEndpoint();
    const key = { 'Idempotency-Key': `test-${id}` };
    const first = await call('POST', `/endpoints/${id}/test`, undefined, key);
    const again = await call('POST', `/endpoints/${id}/test`, undefined, key);
    expect(again.text).toBe(first.text);
    expect(await db.$count(deliveries, eq(deliveries.endpointId, BigInt(id)))).toBe(1);
  });

  test('is refused while the endpoint is disabled, and resends are refused too', async () => {
    const { id } = await makeEndpoint();
    const { body } = await call('POST', `/endpoints/${id}/test`);
    await call('POST', `/endpoints/${id}/disable`);
    const since = { since: '2026-11-21T09:00:00Z' };
    const refused = [
      await call('POST', `/endpoints/${id}/test`),
      await call('POST', `/endpoints/${id}/resend`, since),
      await call('POST', `/deliveries/${body.id}/resend`),
    ];
    for (const each of refused)
      expect([each.status, each.body.code]).toEqual([409, 'endpoint-disabled']);
  });
});

/**
 * Makes deliveries with each status: the oldest is delivered, the next failed, the newest waits.
 */
async function makeDeliveries() {
  const endpoint = await makeEndpoint();
  const ids: number[] = [];
  for (let n = 0; n < 3; n++)
    ids.push((await call('POST', `/endpoints/${endpoint.id}/test`)).body.id);
  const [delivered = 0, failed = 0, waiting = 0] = ids;
  const end = (id: number, ended: 'done' | 'dead') =>
    db.execute(sql`UPDATE tasks SET finished_at = now(), ended = ${ended}
      WHERE id = (SELECT task_id FROM webhook_deliveries WHERE id = ${id})`);
  const attempt = { milliseconds: 7, at: new Date('2026-11-21T09:00:00Z') };
  await end(delivered, 'done');
  await end(failed, 'dead');
  await db
    .update(deliveries)
    .set({ deliveredAt: new Date() })
    .where(eq(deliveries.id, BigInt(delivered)));
  await db.insert(deliveryAttempts).values([
    { ...attempt, deliveryId: BigInt(failed), status: 500, detail: 'first' },
    { ...attempt, deliveryId: BigInt(failed), status: null, detail: 'last' },
  ]);
  return { endpoint, delivered, failed, waiting };
}

describe('the deliveries of an endpoint', () => {
  test('come newest first, a page at a time, with their latest attempts', async () => {
    const { endpoint, delivered, failed, waiting } = await makeDeliveries();
    const path = `/endpoints/${endpoint.id}/deliveries`;
    const first = (await call('GET', `${path}?limit=2`)).body;
    expect(first.deliveries).toMatchObject([
      { id: waiting, status: 'waiting', attemptCount: 0, lastAttempt: null },
      {
        id: failed,
        status: 'failed',
        nextAttemptAt: null,
        attemptCount: 2,
        lastAttempt: { status: null, detail: 'last', milliseconds: 7 },
      },
    ]);
    const rest = (await call('GET', `${path}?cursor=${first.nextCursor}`)).body;
    expect(rest).toMatchObject({
      deliveries: [{ id: delivered, status: 'delivered' }],
      nextCursor: null,
    });
    const whole = (await call('GET', `/deliveries/${failed}`)).body;
    expect(whole).toMatchObject({ attemptCount: 2, attempts: [{ status: 500 }, { status: null }] });
  });

  test.each(['waiting', 'delivered', 'failed'] as const)(
    'can be listed by the status %s',
    async (status) => {
      const world = await makeDeliveries();
      const { body } = await call(
        'GET',
        `/endpoints/${world.endpoint.id}/deliveries?status=${status}`,
      );
      expect(body.deliveries.map(({ id }: { id: number }) => id)).toEqual([world[status]]);
    },
  );

  test('cannot be read after the endpoint is deleted', async () => {
    const { endpoint, failed } = await makeDeliveries();
    await call('DELETE', `/endpoints/${endpoint.id}`);
    expect((await call('GET', `/endpoints/${endpoint.id}/deliveries`)).status).toBe(404);
    const { body } = await call('GET', `/deliveries/${failed}`);
    expect(body.code).toBe('delivery-not-found');
    expect((await call('POST', `/deliveries/${failed}/resend`)).status).toBe(404);
  });
});

const taskOf = async (delivery: number) => {
  const [row] = await db
    .select({ task: tasks })
    .from(tasks)
    .innerJoin(deliveries, eq(deliveries.taskId, tasks.id))
    .where(eq(deliveries.id, BigInt(delivery)));
  return row?.task;
};

describe('a resend', () => {
  test.each(['delivered', 'failed'] as const)(
    'makes a new task if the message is %s',
    async (status) => {
      const world = await makeDeliveries();
      const before = await taskOf(world[status]);
      const { body } = await call('POST', `/deliveries/${world[status]}/resend`);
      expect(body).toMatchObject({ id: world[status], status: 'waiting', deliveredAt: null });
      const after = await taskOf(world[status]);
      expect(after?.id).not.toBe(before?.id);
      expect(after).toMatchObject({ kind: 'webhook', attempt: 0, finishedAt: null });
    },
  );

  test('makes the task due now if the message waits', async () => {
    const { waiting } = await makeDeliveries();
    const before = await taskOf(waiting);
    await db.execute(
      sql`UPDATE tasks SET run_at = now() + interval '1 hour' WHERE id = ${before?.id}`,
    );
    await call('POST', `/deliveries/${waiting}/resend`);
    const after = await taskOf(waiting);
    expect(after?.id).toBe(before?.id);
    expect(Number(after?.runAt)).toBeLessThan(Number(before?.runAt) + 60_000);
  });

  test.each([
    [1, 'goes on with the task if a further attempt follows'],
    [0, 'makes a new task if the last attempt runs'],
  ])('with %i attempts left %s', async (attemptsLeft) => {
    const { waiting } = await makeDeliveries();
    const before = await taskOf(waiting);
    await db.execute(sql`UPDATE tasks SET lease_until = now() + interval '1 hour', worker_id = 1,
      began_at = now(), attempts_left = ${attemptsLeft} WHERE id = ${before?.id}`);
    await call('POST', `/deliveries/${waiting}/resend`);
    const after = await taskOf(waiting);
    expect(after?.id === before?.id).toBe(attemptsLeft > 0);
    expect(after?.attemptsLeft).toBeGreaterThan(0);
  });

  test.each([
    ['1969-12-31T23:59:59Z', 400],
    ['1970-01-01T00:00:00Z', 202],
    ['9999-12-31T23:59:59Z', 202],
    // This time is in the year 10000 of UTC.
    ['9999-12-31T23:59:59-01:00', 400],
  ])('since %s is answered with the status %i', async (since, expected) => {
    const { id } = await makeEndpoint();
    const { status, body } = await call('POST', `/endpoints/${id}/resend`, { since });
    expect(status).toBe(expected);
    const detail = 'must be in the years 1970 to 9999';
    if (status === 400) expect(body.errors).toEqual([{ parameter: 'since', detail }]);
  });

  test('makes only one task if three requests come at the same time', async () => {
    const { failed } = await makeDeliveries();
    const before = await db.$count(tasks);
    const lock = `SELECT FROM webhook_deliveries WHERE id = ${failed} FOR UPDATE`;
    const { asked } = await whileLocked(databaseUrl, lock, async ({ untilWaiting }) => {
      const asked = [1, 2, 3].map(() => call('POST', `/deliveries/${failed}/resend`));
      await untilWaiting(3);
      return { asked };
    });
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    expect(await db.$count(tasks)).toBe(before + 1);
  });

  test('makes a new task if the message is delivered while the resend waits for a lock', async () => {
    const { waiting } = await makeDeliveries();
    const before = await taskOf(waiting);
    const end = `UPDATE tasks SET finished_at = now(), ended = 'done' WHERE id = ${before?.id}`;
    const { asked } = await whileLocked(databaseUrl, end, async ({ untilWaitedFor }) => {
      const asked = call('POST', `/deliveries/${waiting}/resend`);
      await untilWaitedFor();
      return { asked };
    });
    expect((await asked).body).toMatchObject({ status: 'waiting' });
    expect((await taskOf(waiting))?.id).not.toBe(before?.id);
  });
});

describe('a resend of all messages', () => {
  const since = { since: '2026-11-21T09:00:00Z' };
  const ask = (id: number) => call('POST', `/endpoints/${id}/resend`, since);
  const tasksOf = (id: number) =>
    db
      .select()
      .from(tasks)
      .where(and(eq(tasks.kind, 'webhook-resend'), eq(tasks.lane, `endpoint ${id}`)));

  test('begins only once if two servers get many requests at the same time', async () => {
    const { id } = await makeEndpoint();
    const other = await makeApp({ url: databaseUrl });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => [
        ask(id),
        other.call('POST', `/endpoints/${id}/resend`, since),
      ]).flat(),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['409 resend-open']),
    );
    expect(await tasksOf(id)).toHaveLength(1);
  });

  test.each([
    ['is done', sql`UPDATE tasks SET finished_at = now(), ended = 'done'`],
    ['is dead', sql`UPDATE tasks SET finished_at = now(), ended = 'dead'`],
    ['was cancelled', sql`UPDATE tasks SET finished_at = now(), ended = 'cancelled'`],
    ['was cleared', sql`DELETE FROM tasks`],
  ])('is possible again if the task of the last resend %s', async (_, end) => {
    const { id } = await makeEndpoint();
    await ask(id);
    expect((await ask(id)).status).toBe(409);
    await db.execute(sql`${end} WHERE lane = ${`endpoint ${id}`}`);
    expect((await ask(id)).status).toBe(202);
    expect((await ask(id)).status).toBe(409);
  });

  test('is possible again after the endpoint was disabled and enabled', async () => {
    const { id } = await makeEndpoint();
    await ask(id);
    await call('POST', `/endpoints/${id}/disable`);
    expect((await ask(id)).body.code).toBe('endpoint-disabled');
    await call('POST', `/endpoints/${id}/enable`);
    expect((await ask(id)).status).toBe(202);
  });
});

test('a delivery that was resent ten thousand times shows its latest 100 attempts', async () => {
  const { failed } = await makeDeliveries();
  const before = await db.$count(deliveryAttempts, eq(deliveryAttempts.deliveryId, BigInt(failed)));
  await db.execute(sql`INSERT INTO webhook_attempts (delivery_id, at, milliseconds, status, detail)
    SELECT ${failed}, now(), n, 500, n FROM generate_series(1, 10000) AS n`);
  const { body } = await call('GET', `/deliveries/${failed}`);
  expect(body.attempts).toHaveLength(MOST_ATTEMPTS);
  expect(body.attempts[0].detail).toBe(String(10_000 - MOST_ATTEMPTS + 1));
  expect(body).toMatchObject({ attemptCount: before + 10_000, lastAttempt: { detail: '10000' } });
  expect(body.attempts.at(-1)).toEqual(body.lastAttempt);
});

test('a method that a route does not have is answered with 405', async () => {
  expect((await app.request('/endpoints/1/test')).status).toBe(405);
});

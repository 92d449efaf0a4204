import { and, eq, sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { companies } from '../../src/db/schema.ts';
import { pausedLanes, tasks } from '../../src/queue/tables.ts';
import { MOST_ATTEMPTS } from '../../src/webhooks/deliveries/queries.ts';
import { MOST_ENDPOINTS } from '../../src/webhooks/endpoints/endpoints.ts';
import {
  deliveries,
  deliveryAttempts,
  endpoints,
  messageTypes,
} from '../../src/webhooks/tables.ts';
import { makeApp } from '../support/app.ts';
import { whileLocked } from '../support/locks.ts';

const { db, call, databaseUrl, app } = await makeApp();

const URL_OF_TESTS = 'http://localhost:4000/webhooks';

async function makeCompany(): Promise<bigint> {
  const [made] = await db.insert(companies).values({ name: 'Harbour' }).returning();
  return made?.id ?? 0n;
}

const create = (companyId: bigint, more: object = {}) =>
  call('POST', `/companies/${companyId}/endpoints`, { url: URL_OF_TESTS, ...more });

async function makeEndpoint(more: object = {}) {
  const companyId = await makeCompany();
  const { body } = await create(companyId, more);
  return { companyId, id: body.id as number, secret: body.secret as string, body };
}

describe('an endpoint', () => {
  test('gets all types by default, and a secret that no other answer shows', async () => {
    const companyId = await makeCompany();
    const { status, headers, body } = await create(companyId);
    expect(status).toBe(201);
    expect(headers.get('Location')).toBe(`/endpoints/${body.id}`);
    expect(body).toMatchObject({
      companyId: Number(companyId),
      url: URL_OF_TESTS,
      types: [...messageTypes],
      description: '',
      enabled: true,
      disabledBecause: null,
      failingSince: null,
      disablesAt: null,
      pausedUntil: null,
      oldSecretUntil: null,
      secret: expect.stringMatching(/^whsec_/),
    });
    const { secret, ...shown } = body;
    expect((await call('GET', `/endpoints/${body.id}`)).body).toEqual(shown);
    const list = await call('GET', `/companies/${companyId}/endpoints`);
    expect(list.body).toEqual({ endpoints: [shown], nextCursor: null });
    const changed = await call('PATCH', `/endpoints/${body.id}`, { types: ['job.full'] });
    expect(changed.body).toEqual({ ...shown, types: ['job.full'] });
  });

  test('can be changed and deleted', async () => {
    const { id, body } = await makeEndpoint({ description: 'Ours' });
    const change = { url: 'http://127.0.0.1:4001/', types: ['job.open'], description: '' };
    const changed = await call('PATCH', `/endpoints/${id}`, change);
    expect(changed.body).toMatchObject({ id, ...change });
    expect((await call('DELETE', `/endpoints/${id}`)).body).toEqual(changed.body);
    const gone = await call('GET', `/endpoints/${id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'endpoint-not-found']);
    expect(body.description).toBe('Ours');
  });

  const UNPRINTABLE = 'must have no spaces and no control characters';
  const longUrl = `http://localhost/${'x'.repeat(2_000)}`;
  test.each([
    [{ url: undefined }, 'url', 'is missing'],
    [{ url: 'ftp://localhost/' }, 'url', 'The URL must begin with https.'],
    [{ url: 'nonsense' }, 'url', 'The URL is malformed.'],
    [{ url: 'https://10.0.0.1/' }, 'url', expect.stringContaining('public addresses')],
    [{ url: 'http://localhost/\0' }, 'url', UNPRINTABLE],
    [{ url: 'http://localhost/\ud800' }, 'url', UNPRINTABLE],
    [{ url: ' http://localhost/\n' }, 'url', UNPRINTABLE],
    [{ url: longUrl }, 'url', 'must have at most 2000 characters'],
    [{ types: [] }, 'types', expect.stringContaining('claim.created')],
    [{ types: ['job.fall'] }, 'types.0', expect.stringContaining('job.full')],
    [{ types: ['job.full', 'job.full'] }, 'types', 'must name each type once'],
    [{ description: 'a\nb' }, 'description', expect.stringContaining('one line')],
  ])('is refused with %.60j', async (more, parameter, detail) => {
    const companyId = await makeCompany();
    const { status, body } = await create(companyId, more);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ parameter, detail }]);
    expect(await db.$count(endpoints, eq(endpoints.companyId, companyId))).toBe(0);
  });

  test('may be on this machine only if the setting allows it', async () => {
    const { call: callElsewhere } = await makeApp({ url: databaseUrl, webhookLoopback: false });
    const { id, companyId } = await makeEndpoint();
    const body = { url: 'https://localhost/' };
    expect((await callElsewhere('PATCH', `/endpoints/${id}`, body)).status).toBe(400);
    expect((await callElsewhere('POST', `/companies/${companyId}/endpoints`, body)).status).toBe(
      400,
    );
  });

  test('of a company that does not exist is refused', async () => {
    const { status, body } = await create(999_999n);
    expect([status, body.code]).toEqual([404, 'company-not-found']);
    expect((await call('GET', '/companies/999999/endpoints')).status).toBe(404);
  });

  test('that fails says since when, and when it will be disabled', async () => {
    const { id } = await makeEndpoint();
    await db
      .update(endpoints)
      .set({ failingSince: new Date('2026-11-21T09:00:00Z') })
      .where(eq(endpoints.id, BigInt(id)));
    expect((await call('GET', `/endpoints/${id}`)).body).toMatchObject({
      failingSince: '2026-11-21T09:00:00.000Z',
      disablesAt: '2026-11-26T09:00:00.000Z',
    });
    const changed = await call('PATCH', `/endpoints/${id}`, { description: 'x' });
    expect(changed.body.failingSince).not.toBeNull();
    const moved = await call('PATCH', `/endpoints/${id}`, { url: 'http://localhost:1/' });
    expect(moved.body).toMatchObject({ failingSince: null, disablesAt: null });
  });

  test('pauses until it has a new address or is enabled', async () => {
    const { id } = await makeEndpoint();
    const lane = `endpoint ${id}`;
    const pause = (until: string) =>
      db.execute(sql`INSERT INTO paused_lanes VALUES (${lane}, ${until})`);
    await pause('2026-01-01T09:00:00Z');
    expect((await call('GET', `/endpoints/${id}`)).body.pausedUntil).toBeNull();
    for (const end of [
      () => call('PATCH', `/endpoints/${id}`, { url: 'http://localhost:1/' }),
      () => call('POST', `/endpoints/${id}/enable`),
    ]) {
      await db.delete(pausedLanes);
      await pause('2999-01-01T09:00:00Z');
      const kept = await call('PATCH', `/endpoints/${id}`, { description: 'x' });
      expect(kept.body.pausedUntil).toBe('2999-01-01T09:00:00.000Z');
      expect((await end()).body.pausedUntil).toBeNull();
      expect((await call('GET', `/endpoints/${id}`)).body.pausedUntil).toBeNull();
    }
    await pause('2999-01-01T09:00:00Z');
    await call('DELETE', `/endpoints/${id}`);
    expect(await db.$count(pausedLanes)).toBe(0);
  });

  test('that the service has disabled is as new after a person enables it', async () => {
    const { id, body } = await makeEndpoint();
    const { secret, ...shown } = body;
    await db
      .update(endpoints)
      .set({ enabled: false, disabledBecause: 'gone', failingSince: new Date() })
      .where(eq(endpoints.id, BigInt(id)));
    expect((await call('GET', `/endpoints/${id}`)).body).toMatchObject({
      enabled: false,
      disabledBecause: 'gone',
      disablesAt: null,
    });
    expect((await call('POST', `/endpoints/${id}/enable`)).body).toEqual(shown);
    const disabled = { ...shown, enabled: false };
    expect((await call('POST', `/endpoints/${id}/disable`)).body).toEqual(disabled);
  });

  test('gets a new secret, and keeps the old secret for a day', async () => {
    const { id, secret } = await makeEndpoint();
    const { body } = await call('POST', `/endpoints/${id}/rotate-secret`);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    const [row] = await db
      .select({
        old: endpoints.oldSecret,
        hours: sql<number>`extract(epoch from old_secret_until - now())::int / 3600.0`,
      })
      .from(endpoints)
      .where(eq(endpoints.id, BigInt(id)));
    expect(row?.old).toBe(secret);
    expect(Number(row?.hours)).toBeCloseTo(24, 1);
  });
});

describe(`a company has at most ${MOST_ENDPOINTS} endpoints`, () => {
  test('even if many requests come at once', async () => {
    const companyId = await makeCompany();
    const wanted = Array.from({ length: 3 * MOST_ENDPOINTS });
    const answers = await Promise.all(wanted.map(() => create(companyId)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST_ENDPOINTS);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['too-many-endpoints']));
    expect(await db.$count(endpoints, eq(endpoints.companyId, companyId))).toBe(MOST_ENDPOINTS);
  });

  test('and its list has pages', async () => {
    const companyId = await makeCompany();
    for (let n = 0; n < 3; n++) await create(companyId);
    const first = (await call('GET', `/companies/${companyId}/endpoints?limit=2`)).body;
    const { nextCursor } = first;
    const rest = await call('GET', `/companies/${companyId}/endpoints?cursor=${nextCursor}`);
    expect([first.endpoints.length, rest.body.endpoints.length]).toEqual([2, 1]);
  });
});

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

  test('is made once for its key', async () => {
    const { id } = await makeEndpoint();
    const key = { 'Idempotency-Key': `test-${id}` };
    const first = await call('POST', `/endpoints/${id}/test`, undefined, key);
    const again = await call('POST', `/endpoints/${id}/test`, undefined, key);
    expect(again.text).toBe(first.text);
    expect(await db.$count(deliveries, eq(deliveries.endpointId, BigInt(id)))).toBe(1);
  });

  test('is refused while the endpoint is disabled, like a resend', async () => {
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

/** Makes deliveries with each status: the oldest is delivered, the next failed, the newest waits. */
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

  test.each(['waiting', 'delivered', 'failed'] as const)('can be asked for: %s', async (status) => {
    const world = await makeDeliveries();
    const { body } = await call(
      'GET',
      `/endpoints/${world.endpoint.id}/deliveries?status=${status}`,
    );
    expect(body.deliveries.map(({ id }: { id: number }) => id)).toEqual([world[status]]);
  });

  test('are not there any more after the endpoint is deleted', async () => {
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
    ['1969-12-31T23:59:59Z', 400],
    ['1970-01-01T00:00:00Z', 202],
    ['9999-12-31T23:59:59Z', 202],
    // This time is in the year 10000 of UTC.
    ['9999-12-31T23:59:59-01:00', 400],
  ])('since %s is answered %i', async (since, expected) => {
    const { id } = await makeEndpoint();
    const { status, body } = await call('POST', `/endpoints/${id}/resend`, { since });
    expect(status).toBe(expected);
    const detail = 'must be in the years 1970 to 9999';
    if (status === 400) expect(body.errors).toEqual([{ parameter: 'since', detail }]);
  });

  test('makes one task even if three people ask at once', async () => {
    const { failed } = await makeDeliveries();
    const before = await db.$count(tasks);
    const waiting = () =>
      db.execute(sql`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
    const lock = `SELECT FROM webhook_deliveries WHERE id = ${failed} FOR UPDATE`;
    const { asked } = await whileLocked(databaseUrl, lock, async () => {
      const asked = [1, 2, 3].map(() => call('POST', `/deliveries/${failed}/resend`));
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(3), { timeout: 20_000 });
      return { asked };
    });
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    expect(await db.$count(tasks)).toBe(before + 1);
  });

  test('makes a new task if the message is delivered in the meantime', async () => {
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

  test('is open once, although two servers are asked many times at once', async () => {
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

test('the addresses beside these routes answer 405', async () => {
  expect((await app.request('/endpoints/1/test')).status).toBe(405);
});

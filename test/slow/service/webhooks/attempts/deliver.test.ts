import type { ServerResponse } from 'node:http';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { jobs } from '../../../src/db/schema.ts';
import { tasks } from '../../../src/queue/tables.ts';
import { deliveries, endpoints, unrelayed } from '../../../src/webhooks/tables.ts';
import {
  addOldMessages,
  answering,
  makeWorld,
  resendTwice,
  soon,
  type World,
} from '../../support/delivering.ts';
import { makeReceiver, type Received } from '../../support/receiver.ts';

/** How many seconds from now the next attempt of the only delivery is due. */
async function pauseOf({ db }: World): Promise<number> {
  const [row] = await db.execute<{ seconds: number }>(sql`
    SELECT extract(epoch FROM run_at - statement_timestamp())::float AS seconds FROM tasks`);
  return row?.seconds ?? 0;
}

describe.concurrent('a message', () => {
  test('reaches the receiver, signed as the specification says', async () => {
    const { claim, receiver, endpoint, deliveriesNow } = await makeWorld();
    await claim(1, 1);
    await receiver.untilReceived(1);
    const [first] = receiver.received as [Received];
    receiver.verify(first, endpoint.secret);
    expect(first.message).toMatchObject({
      type: 'claim.created',
      data: { number: 2, job: { id: 1 }, claim: { recruiter: { id: 1 } } },
    });
    expect(first.headers['content-type']).toBe('application/json');
    await soon(async () => expect(await deliveriesNow('delivered')).toHaveLength(1));
    expect(await deliveriesNow()).toMatchObject([
      {
        messageId: first.id,
        job: { id: 1, role: expect.any(String) },
        lastAttempt: { status: 200, detail: 'ok' },
        attemptCount: 1,
      },
    ]);
  });

  test('of every committed change arrives, and none of a change that was refused', async () => {
    const world = await makeWorld();
    const { claim, call, receiver, db } = world;
    // Six recruiters want four slots.
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((recruiter) => claim(1, recruiter)));
    const claimed = answers.filter(({ status }) => status === 200);
    const claims = await Promise.all(claimed.map(async (each) => (await each.json()) as Claimed));
    const last = claims.find(({ remaining }) => remaining === 0);
    await call('DELETE', `/claims/${last?.claim.id}`);
    await db.update(jobs).set({ role: 'Gardener' }).where(eq(jobs.id, 1n));
    const types = [...Array(4).fill('claim.created'), 'job.full', 'claim.released', 'job.open'];
    await receiver.untilReceived(types.length);
    expect(receiver.received.map(({ message }) => message.type).sort()).toEqual(types.sort());
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(types.length);
  });
  interface Claimed {
    claim: { id: number };
    remaining: number;
  }

  test('is the same at each retry, with a new time and a new signature', async () => {
    const { receiver, endpoint, sendTest, untilDelivery, hasten, db } = await makeWorld();
    receiver.answer = answering(500);
    const id = await sendTest();
    await untilDelivery(id, { status: 'waiting', attemptCount: 1 });
    const [first] = receiver.received as [Received];
    // The time has whole seconds.
    const isLater = async () => {
      const [now] = await db.execute(sql`SELECT floor(extract(epoch FROM now())) AS seconds`);
      expect(Number(now?.seconds)).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
    };
    await soon(isLater);
    receiver.answer = answering(200);
    await hasten();
    await untilDelivery(id, { status: 'delivered', attemptCount: 2 });
    const second = receiver.received[1] as Received;
    expect([second.id, second.body]).toEqual([first.id, first.body]);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    for (const each of receiver.received) receiver.verify(each, endpoint.secret);
  });

  test('is signed with both secrets for a day after a rotation', async () => {
    const world = await makeWorld();
    const { receiver, endpoint, sendTest, call, db } = world;
    const { body } = await call('POST', `/endpoints/${endpoint.id}/rotate-secret`);
    await sendTest();
    await receiver.untilReceived(1);
    const [first] = receiver.received as [Received];
    receiver.verify(first, endpoint.secret);
    receiver.verify(first, body.secret);
    await db.execute(sql`UPDATE webhook_endpoints SET old_secret_until = now()`);
    await sendTest();
    await receiver.untilReceived(2);
    const second = receiver.received[1] as Received;
    receiver.verify(second, body.secret);
    expect(() => receiver.verify(second, endpoint.secret)).toThrow();
  });

  test('is not signed with the oldest of three secrets', async () => {
    const { receiver, endpoint, sendTest, call } = await makeWorld();
    const rotate = async () =>
      (await call('POST', `/endpoints/${endpoint.id}/rotate-secret`)).body.secret;
    const [second, third] = [await rotate(), await rotate()];
    await sendTest();
    await receiver.untilReceived(1);
    const [received] = receiver.received as [Received];
    for (const secret of [second, third]) receiver.verify(received, secret);
    expect(() => receiver.verify(received, endpoint.secret)).toThrow();
  });

  test('gets ten attempts, and then fails', async () => {
    const { db, receiver, sendTest, untilDelivery, hasten } = await makeWorld();
    receiver.answer = answering(500);
    const id = await sendTest();
    for (let attempt = 1; attempt < 10; attempt++) {
      await untilDelivery(id, { status: 'waiting', attemptCount: attempt });
      await hasten();
    }
    await untilDelivery(id, {
      status: 'failed',
      attemptCount: 10,
      nextAttemptAt: null,
      lastAttempt: { status: 500, detail: 'no' },
    });
    expect(receiver.received).toHaveLength(10);
    // A dead task would be a matter for the operator.
    expect(await db.execute(sql`SELECT ended FROM tasks`)).toEqual([{ ended: 'done' }]);
  });

  test('waits about five seconds after its first failure', async () => {
    const world = await makeWorld();
    world.receiver.answer = answering(500);
    await world.untilDelivery(await world.sendTest(), { attemptCount: 1 });
    const pause = await pauseOf(world);
    expect(pause).toBeGreaterThan(0);
    expect(pause).toBeLessThan(5.5);
  });

  test('fails if nobody listens, and says so', async () => {
    const { sendTest, untilDelivery, db } = await makeWorld();
    await db.update(endpoints).set({ url: 'http://127.0.0.1:1/' });
    const id = await sendTest();
    await untilDelivery(id, {
      attemptCount: 1,
      lastAttempt: { status: null, detail: 'The host cannot be reached.' },
    });
  });

  test('is not sent to an address that is not allowed any more', async () => {
    const { sendTest, untilDelivery, db } = await makeWorld();
    await db.update(endpoints).set({ url: 'https://10.0.0.1/' });
    const detail = expect.stringContaining('public addresses');
    await untilDelivery(await sendTest(), { lastAttempt: { status: null, detail } });
  });
});

describe.concurrent('an endpoint', () => {
  test('that answers 410 is disabled at once', async () => {
    const world = await makeWorld();
    world.receiver.answer = answering(410);
    const id = await world.sendTest();
    await world.untilDelivery(id, { status: 'failed', attemptCount: 1 });
    const now = await world.endpointNow();
    expect(now).toMatchObject({ enabled: false, disabledBecause: 'gone', disablesAt: null });
  });

  test('that fails says so until a delivery succeeds', async () => {
    const { receiver, sendTest, untilDelivery, endpointNow } = await makeWorld();
    receiver.answer = answering(500);
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    const { failingSince, disablesAt } = await endpointNow();
    expect(Date.parse(disablesAt) - Date.parse(failingSince)).toBe(5 * 24 * 3_600_000);
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    expect((await endpointNow()).failingSince).toBe(failingSince);
    receiver.answer = answering(200);
    await untilDelivery(await sendTest(), { status: 'delivered' });
    expect(await endpointNow()).toMatchObject({ failingSince: null, disablesAt: null });
  });

  test.each([
    ['five days', "interval '5 days'", { enabled: false, disabledBecause: 'failing' }],
    ['almost five days', "interval '119 hours'", { enabled: true, disabledBecause: null }],
  ])('that has failed for %s: %s', async (_, ago, expected) => {
    const { receiver, sendTest, untilDelivery, endpointNow, db } = await makeWorld();
    await db.execute(sql`UPDATE webhook_endpoints SET failing_since = now() - ${sql.raw(ago)}`);
    receiver.answer = answering(500);
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    expect(await endpointNow()).toMatchObject(expected);
  });

  test('that a person has repaired is not disabled by an old attempt', async () => {
    const { receiver, sendTest, untilDelivery, endpointNow, call, endpoint } = await makeWorld();
    const other = await makeReceiver();
    let repaired: Promise<unknown> = Promise.resolve();
    receiver.answer = (answer) => {
      repaired = call('PATCH', `/endpoints/${endpoint.id}`, { url: other.url }).finally(() =>
        answer.writeHead(410).end(),
      );
    };
    await untilDelivery(await sendTest(), { status: 'failed' });
    await repaired;
    expect(await endpointNow()).toMatchObject({ enabled: true, failingSince: null });
  });

  test.each([429, 503])('pauses as long as Retry-After says after a %i', async (status) => {
    const world = await makeWorld();
    const { receiver, sendTest, untilDelivery, endpointNow, hasten, call, db } = world;
    receiver.answer = answering(status, { 'Retry-After': '600' });
    const refused = await sendTest();
    await untilDelivery(refused, { attemptCount: 1 });
    const { pausedUntil } = await endpointNow();
    const pauseMs = Date.parse(pausedUntil) - Date.now();
    expect(pauseMs).toBeGreaterThan(500_000);
    expect(pauseMs).toBeLessThanOrEqual(600_000);
    receiver.answer = answering(200);
    const waiting = await sendTest();
    await hasten();
    for (const id of [refused, waiting]) await untilDelivery(id, { nextAttemptAt: pausedUntil });
    // A claim takes the tasks of all lanes that have their turn. So the claim of this message would
    // also have taken the other messages.
    const other = await call('POST', '/companies/2/endpoints', { url: receiver.url });
    const { body } = await call('POST', `/endpoints/${other.body.id}/test`);
    await untilDelivery(body.id, { status: 'delivered' });
    expect(await db.execute(sql`SELECT attempt FROM tasks ORDER BY id`)).toEqual([
      { attempt: 1 },
      { attempt: 0 },
      { attempt: 1 },
    ]);
    await db.execute(sql`UPDATE paused_lanes SET until = now()`);
    await hasten();
    await untilDelivery(refused, { status: 'delivered', attemptCount: 2 });
    await untilDelivery(waiting, { status: 'delivered', attemptCount: 1 });
    expect((await endpointNow()).pausedUntil).toBeNull();
  });

  test('does not pause if a person has given it another address meanwhile', async () => {
    const { receiver, sendTest, untilDelivery, endpointNow, call, endpoint } = await makeWorld();
    const other = await makeReceiver();
    let repaired: Promise<unknown> = Promise.resolve();
    receiver.answer = (answer) => {
      repaired = call('PATCH', `/endpoints/${endpoint.id}`, { url: other.url }).finally(() =>
        answer.writeHead(429, { 'Retry-After': '600' }).end(),
      );
    };
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    await repaired;
    expect((await endpointNow()).pausedUntil).toBeNull();
  });

  test('gets nothing while it is disabled, and its waiting deliveries fail', async () => {
    const { receiver, call, endpoint, sendTest, untilDelivery, hasten, claim, db } =
      await makeWorld();
    receiver.answer = answering(500);
    const id = await sendTest();
    await untilDelivery(id, { attemptCount: 1 });
    await call('POST', `/endpoints/${endpoint.id}/disable`);
    await hasten();
    await untilDelivery(id, {
      status: 'failed',
      lastAttempt: { detail: 'The endpoint is disabled, so nothing was sent.' },
    });
    await claim(1, 1);
    // A note disappears in the transaction that makes its delivery.
    expect(await db.$count(unrelayed)).toBe(0);
    expect(await db.$count(deliveries)).toBe(1);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = answering(200);
    await call('POST', `/endpoints/${endpoint.id}/enable`);
    await call('POST', `/deliveries/${id}/resend`);
    await untilDelivery(id, { status: 'delivered' });
  });

  test('that was deleted gets nothing more', async () => {
    const { receiver, call, endpoint, sendTest, untilDelivery, hasten, db } = await makeWorld();
    receiver.answer = answering(500);
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    await call('DELETE', `/endpoints/${endpoint.id}`);
    await hasten();
    await soon(async () => {
      const [task] = await db.execute(sql`SELECT ended FROM tasks`);
      expect(task?.ended).toBe('done');
    });
    expect(receiver.received).toHaveLength(1);
  });

  test('that hangs does not hold up the others', async () => {
    const { receiver, call, sendTest, untilDelivery } = await makeWorld();
    const other = await makeReceiver();
    receiver.answer = () => undefined;
    for (let n = 0; n < 20; n++) await sendTest();
    await receiver.untilReceived(1);
    const { body } = await call('POST', '/companies/2/endpoints', { url: other.url });
    const { body: delivery } = await call('POST', `/endpoints/${body.id}/test`);
    await untilDelivery(delivery.id, { status: 'delivered' });
    // The hanging endpoint has its share of the eight places, and no more.
    expect(receiver.received.length).toBeLessThanOrEqual(2);
  });
});

describe.concurrent('a resend', () => {
  test('has the id and the body of the first send', async () => {
    const { receiver, call, sendTest, untilDelivery } = await makeWorld();
    const id = await sendTest();
    await untilDelivery(id, { status: 'delivered' });
    await call('POST', `/deliveries/${id}/resend`);
    await untilDelivery(id, { status: 'delivered', attemptCount: 2 });
    const [first, second] = receiver.received as [Received, Received];
    expect([second.id, second.body]).toEqual([first.id, first.body]);
  });

  test('since a time sends the messages since then, batch by batch', async () => {
    const world = await makeWorld();
    const { receiver, call, endpoint, db, hasten } = world;
    await addOldMessages(world);
    const since = new Date(Date.now() - 220.5 * 3_600_000).toISOString();
    const { status, body } = await call('POST', `/endpoints/${endpoint.id}/resend`, { since });
    expect([status, body]).toEqual([202, { since }]);
    await vi.waitFor(
      async () => {
        await hasten();
        expect(receiver.received.length).toBe(221);
        expect(await db.$count(deliveries, sql`delivered_at IS NULL`)).toBe(0);
      },
      { timeout: 50_000 },
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(221);
  });

  test('since a time passes five thousand older messages at once', async () => {
    const { receiver, call, endpoint, db, sendTest, untilDelivery } = await makeWorld();
    await db.execute(sql`
      INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at, delivered_at)
      SELECT ${endpoint.id}, 'job.full', '{}', 0, now() - interval '1 day', now()
      FROM generate_series(1, 7000)`);
    const id = await sendTest();
    await untilDelivery(id, { status: 'delivered' });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await call('POST', `/endpoints/${endpoint.id}/resend`, { since });
    await untilDelivery(id, { status: 'delivered', attemptCount: 2 });
    expect(receiver.received).toHaveLength(2);
    expect(await db.$count(tasks, eq(tasks.kind, 'webhook-resend'))).toBe(2);
  });

  // test/slow/webhooks/attempts/deliver.test.ts waits for the ends of the batches.
  test('since a time is open until its last batch, and ends when the endpoint is disabled', async () => {
    await resendTwice(await makeWorld());
  });

  test.each([
    ['has gone', 410],
    ['has failed for five days', 500],
  ])('since a time ends when the service disables an endpoint that %s', async (_, status) => {
    const { receiver, call, endpoint, db, sendTest, untilDelivery } = await makeWorld();
    const hanging: ServerResponse[] = [];
    receiver.answer = (answer) => void hanging.push(answer);
    const first = await sendTest();
    await soon(() => expect(hanging).toHaveLength(1));
    receiver.answer = answering(429, { 'Retry-After': '600' });
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    const since = new Date(0).toISOString();
    const ask = () => call('POST', `/endpoints/${endpoint.id}/resend`, { since });
    // The task of the resend waits for the end of the pause.
    expect((await ask()).status).toBe(202);
    expect((await ask()).body.code).toBe('resend-open');
    await db.execute(sql`UPDATE webhook_endpoints SET failing_since = now() - interval '5 days'`);
    hanging[0]?.writeHead(status).end();
    await untilDelivery(first, { attemptCount: 1 });
    expect((await ask()).body.code).toBe('endpoint-disabled');
    await call('POST', `/endpoints/${endpoint.id}/enable`);
    expect((await ask()).status).toBe(202);
  });
});

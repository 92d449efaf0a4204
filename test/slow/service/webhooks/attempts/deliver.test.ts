import type { ServerResponse } from 'node:http';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { tasks } from '../../../../../src/service/queue/tables.ts';
import { deliveries, endpoints } from '../../../../../src/service/webhooks/tables.ts';
import {
  addOldMessages,
  answering,
  makeWorld,
  pauseAfterStatus,
  resendTwice,
  soon,
  type World,
} from '../../../../support/delivering.ts';
import { makeReceiver, type Received } from '../../../../support/receiver.ts';

test('a resend of the messages since a time runs all its batches, even after a disabled endpoint has ended an earlier resend', async () => {
  const world = await makeWorld();
  const { ask, batches, hanging } = await resendTwice(world);
  world.receiver.answer = answering(200);
  for (const answer of hanging) answer.end();
  // The first resend made two batches. The second resend makes three batches.
  await vi.waitFor(
    async () => {
      await world.hasten();
      expect(await batches()).toEqual(Array(5).fill({ ended: 'done' }));
    },
    { timeout: 50_000 },
  );
  await soon(async () => expect((await ask()).status).toBe(202));
});

/** Returns the number of seconds until the next attempt of the only delivery is due. */
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

  test('keeps its id and body at a retry, and gets a new time and a new signature', async () => {
    const { receiver, endpoint, sendTest, untilDelivery, hasten, db } = await makeWorld();
    receiver.answer = answering(500);
    const id = await sendTest();
    await untilDelivery(id, { status: 'waiting', attemptCount: 1 });
    const [first] = receiver.received as [Received];
    // The header has the time in whole seconds, so we wait for the next second.
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
    // A dead task would ask the operator for help, but the operator cannot help here.
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

  test('fails if nobody listens at the address, and the delivery shows the reason', async () => {
    const { sendTest, untilDelivery, db } = await makeWorld();
    await db.update(endpoints).set({ url: 'http://127.0.0.1:1/' });
    const id = await sendTest();
    await untilDelivery(id, {
      attemptCount: 1,
      lastAttempt: { status: null, detail: 'The host cannot be reached.' },
    });
  });
});

describe.concurrent('an endpoint', () => {
  test('that fails shows the time of its first failure, until a delivery succeeds', async () => {
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

  test('is not disabled by an attempt at its old address after a person has changed the address', async () => {
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

  // The quick tests have the status 429.
  test('pauses after 503 for the time in Retry-After', async () => {
    await pauseAfterStatus(await makeWorld(), 503);
  });
});

describe.concurrent('a resend', () => {
  test('of the messages since a time sends all these messages, batch by batch', async () => {
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

  test('of the messages since a time skips five thousand older messages in one task', async () => {
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

  test.each([
    ['has gone', 410],
    ['has failed for five days', 500],
  ])('ends when the service disables an endpoint that %s', async (_, status) => {
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

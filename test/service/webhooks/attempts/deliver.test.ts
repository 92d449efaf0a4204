import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../../../src/service/database/schema.ts';
import { deliveries, endpoints, unrelayed } from '../../../../src/service/webhooks/tables.ts';
import {
  answering,
  makeWorld,
  pauseAfterStatus,
  resendTwice,
  soon,
} from '../../../support/delivering.ts';
import { makeReceiver, type Received } from '../../../support/receiver.ts';

describe.concurrent('a message', () => {
  test('about every committed change arrives, and no message about a refused claim', async () => {
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

  test('fails after its last attempt', async () => {
    const { db, receiver, sendTest, untilDelivery, hasten } = await makeWorld();
    receiver.answer = answering(500);
    const id = await sendTest();
    await untilDelivery(id, { status: 'waiting', attemptCount: 1 });
    await db.execute(sql`UPDATE tasks SET attempts_left = 1`);
    await hasten();
    await untilDelivery(id, { status: 'failed', attemptCount: 2, nextAttemptAt: null });
    expect(await db.execute(sql`SELECT ended FROM tasks`)).toEqual([{ ended: 'done' }]);
  });

  test('is not sent to an address that is not allowed any more', async () => {
    const { sendTest, untilDelivery, db } = await makeWorld();
    await db.update(endpoints).set({ url: 'https://10.0.0.1/' });
    const detail = expect.stringContaining('public addresses');
    await untilDelivery(await sendTest(), { lastAttempt: { status: null, detail } });
  });
});

describe.concurrent('an endpoint', () => {
  test('that answers 410 is disabled immediately', async () => {
    const world = await makeWorld();
    world.receiver.answer = answering(410);
    const id = await world.sendTest();
    await world.untilDelivery(id, { status: 'failed', attemptCount: 1 });
    const now = await world.endpointNow();
    expect(now).toMatchObject({ enabled: false, disabledBecause: 'gone', disablesAt: null });
  });

  test.each([
    ['five days', "interval '5 days'", { enabled: false, disabledBecause: 'failing' }],
    ['almost five days', "interval '119 hours'", { enabled: true, disabledBecause: null }],
  ])('that fails again after failing for %s (%s) shows %j', async (_, ago, expected) => {
    const { receiver, sendTest, untilDelivery, endpointNow, db } = await makeWorld();
    await db.execute(sql`UPDATE webhook_endpoints SET failing_since = now() - ${sql.raw(ago)}`);
    receiver.answer = answering(500);
    await untilDelivery(await sendTest(), { attemptCount: 1 });
    expect(await endpointNow()).toMatchObject(expected);
  });

  // test/slow/service/webhooks/attempts/deliver.test.ts has the status 503.
  test('pauses after 429 for the time in Retry-After', async () => {
    await pauseAfterStatus(await makeWorld(), 429);
  });

  test('does not pause if a person has changed its address during the attempt', async () => {
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
    expect(await endpointNow()).toMatchObject({ pausedUntil: null, failingSince: null });
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
    // If the relay had taken a note of this event, the relay would have made a second delivery.
    expect(await db.$count(unrelayed)).toBe(0);
    expect(await db.$count(deliveries)).toBe(1);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = answering(200);
    await call('POST', `/endpoints/${endpoint.id}/enable`);
    await call('POST', `/deliveries/${id}/resend`);
    await untilDelivery(id, { status: 'delivered' });
  });

  test('gets no more messages after it was deleted', async () => {
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

  test('that does not answer does not delay other endpoints', async () => {
    const { receiver, call, sendTest, untilDelivery } = await makeWorld();
    const other = await makeReceiver();
    receiver.answer = () => undefined;
    for (let n = 0; n < 20; n++) await sendTest();
    await receiver.untilReceived(1);
    const { body } = await call('POST', '/companies/2/endpoints', { url: other.url });
    const { body: delivery } = await call('POST', `/endpoints/${body.id}/test`);
    await untilDelivery(delivery.id, { status: 'delivered' });
    // The hanging endpoint has its share of the eight worker slots, and no more.
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

  // test/slow/service/webhooks/attempts/deliver.test.ts also waits for the ends of the batches.
  test('of the messages since a time is open until its last batch, and ends when the endpoint is disabled', async () => {
    await resendTwice(await makeWorld());
  });
});

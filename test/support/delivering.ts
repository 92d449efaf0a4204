import type { ServerResponse } from 'node:http';
import { sql } from 'drizzle-orm';
import { expect, vi } from 'vitest';
import { Poller } from '../../src/service/operation/poller.ts';
import { startWorker } from '../../src/service/queue/worker/worker.ts';
import { delivering } from '../../src/service/webhooks/attempts/deliver.ts';
import { resending } from '../../src/service/webhooks/deliveries/resend.ts';
import { startRelay } from '../../src/service/webhooks/relay/relay-loop.ts';
import { collectLog, makeApp } from './app.ts';
import { atEnd } from './command.ts';
import { type Answer, makeReceiver } from './receiver.ts';

export const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000 });

/** Makes a service with a worker and a relay. Its receiver is an endpoint of company 1. */
export async function makeWorld() {
  const onDueTask = () => worker.wake();
  const app = await makeApp({ onDueTask });
  const { db, call } = app;
  const { log } = collectLog();
  const poller = new Poller(db);
  const kinds = [delivering(db, { loopback: true }), resending(db)];
  const worker = await startWorker({ db, poller, kinds, places: 8, version: '1', log });
  const relay = startRelay({ db, poller, log, onDueTask });
  atEnd(async () => {
    await relay.stop();
    await worker.stop(1_000);
  });
  const receiver = await makeReceiver();
  const { body } = await call('POST', '/companies/1/endpoints', { url: receiver.url });
  const endpoint = { id: body.id as number, secret: body.secret as string };
  const read = async (path: string) => (await call('GET', path)).body;
  return {
    ...app,
    receiver,
    endpoint,
    endpointNow: () => read(`/endpoints/${endpoint.id}`),
    deliveriesNow: async (status = '') =>
      (await read(`/endpoints/${endpoint.id}/deliveries?limit=100${status && `&status=${status}`}`))
        .deliveries,
    sendTest: async () => (await call('POST', `/endpoints/${endpoint.id}/test`)).body.id as number,
    /** Makes all waiting attempts due now, instead of after their pauses. */
    async hasten() {
      await db.execute(sql`UPDATE tasks SET run_at = now() WHERE finished_at IS NULL`);
      onDueTask();
    },
    untilDelivery: (id: number, expected: object) =>
      soon(async () => expect(await read(`/deliveries/${id}`)).toMatchObject(expected)),
  };
}
export type World = Awaited<ReturnType<typeof makeWorld>>;

export const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (answer) =>
    void answer.writeHead(status, headers).end('no\nsecond line');

/** Adds 450 messages that were delivered. Each message is an hour older than the next. */
export const addOldMessages = ({ db, endpoint }: World) =>
  db.execute(sql`
    INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at, delivered_at)
    SELECT ${endpoint.id}, 'job.full', '{"type":"job.full"}', 0,
      now() - make_interval(hours => 450 - n), now()
    FROM generate_series(1, 450) AS n`);

/**
 * Begins a resend of old messages to a receiver that hangs. After the first batch, asserts that no
 * second resend can begin. Then disables the endpoint, which ends the resend. Then enables the
 * endpoint, and begins a second resend.
 */
export async function resendTwice(world: World) {
  const { receiver, call, endpoint, db } = world;
  await addOldMessages(world);
  const since = new Date(Date.now() - 451 * 3_600_000).toISOString();
  const ask = () => call('POST', `/endpoints/${endpoint.id}/resend`, { since });
  const batches = () => db.execute(sql`SELECT ended FROM tasks WHERE kind = 'webhook-resend'`);
  const hanging: ServerResponse[] = [];
  receiver.answer = (answer) => void hanging.push(answer);
  expect((await ask()).status).toBe(202);
  // The second batch waits behind the messages of the first batch.
  await soon(async () => expect(await batches()).toHaveLength(2));
  expect((await ask()).body.code).toBe('resend-open');
  await call('POST', `/endpoints/${endpoint.id}/disable`);
  await call('POST', `/endpoints/${endpoint.id}/enable`);
  expect((await ask()).status).toBe(202);
  return { ask, batches, hanging };
}

/**
 * Makes the receiver answer with the status and a Retry-After of ten minutes. Asserts that the
 * endpoint gets no messages during this time, and that other endpoints get their messages.
 */
export async function pauseAfterStatus(world: World, status: number) {
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
  // This message goes to another endpoint, so its lane does not pause. One claim takes tasks of
  // all lanes. So without the pause, the claim of this message would have taken the other
  // messages too.
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
}

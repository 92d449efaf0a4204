import { connect } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/service/http/edge/listen.ts';
import { type StreamSource, streamEvents } from '../../../src/service/http/event-stream.ts';
import type { Env } from '../../../src/service/http/new-routes.ts';

const HEARTBEAT_MS = 80;
/** The server ends the stream of a client that reads nothing for this time. */
const PATIENCE_MS = 4 * HEARTBEAT_MS;
const PIECE = Buffer.alloc(4_000, 'x');
const HEARTBEAT = Buffer.from(':\n\n');

/** Opens a stream to a client with a real socket. The client reads nothing at first. */
async function follow(next: (isBehind: boolean) => Promise<Uint8Array>) {
  const leaving = new AbortController();
  let waiting = () => 0;
  async function* chunks() {
    while (!leaving.signal.aborted) {
      // After this turn of the event loop, the system has accepted as many bytes as it can.
      await setImmediate();
      yield await next(waiting() > 0);
    }
  }
  const told: StreamSource = {
    ...{ chunks, heartbeatMs: HEARTBEAT_MS, left: leaving.signal },
    leave: () => leaving.abort(),
  };
  const app = new Hono<Env>().get('/', (c) => {
    waiting = () => c.env.outgoing?.writableLength ?? 0;
    return streamEvents(c, told);
  });
  const server = await listen(app, '127.0.0.1', 0);
  const client = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  onTestFinished(async () => {
    client.destroy();
    leaving.abort();
    await server.drain(0);
  });
  return { client, told, server, waiting: () => waiting() };
}

const cutOff = ({ left }: StreamSource) =>
  vi.waitFor(() => expect(left.aborted).toBe(true), { timeout: 4_000 });

async function heartbeat() {
  await sleep(HEARTBEAT_MS / 8);
  return HEARTBEAT;
}

test('a client that reads nothing is cut off', async () => {
  const { told } = await follow(async () => PIECE);
  await cutOff(told);
});

test('a client that reads nothing is cut off, even if only heartbeats are written', async () => {
  let isFull = false;
  const { told } = await follow(async (isBehind) => {
    isFull ||= isBehind;
    return isFull ? heartbeat() : PIECE;
  });
  await cutOff(told);
});

test('a client that reads from time to time is not cut off', async () => {
  const { client, told, waiting } = await follow(async () => PIECE);
  client.on('data', () => undefined).pause();
  for (let naps = 0; naps < 6; naps++) {
    await vi.waitFor(() => expect(waiting()).toBeGreaterThan(0), { interval: 5 });
    await sleep(PATIENCE_MS / 2);
    client.resume();
    await sleep(PATIENCE_MS / 8);
    client.pause();
  }
  expect(told.left.aborted).toBe(false);
});

test('a server can stop although a client reads nothing', async () => {
  const { told, server, waiting } = await follow(async () => PIECE);
  await vi.waitFor(() => expect(waiting()).toBeGreaterThan(0), { interval: 5 });
  told.leave();
  const isPatienceOver = await server.drain(30_000);
  expect(isPatienceOver).toBe(false);
});

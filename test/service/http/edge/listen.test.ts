import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { drainAndLog, listen } from '../../../../src/service/http/edge/listen.ts';
import { collectLog } from '../../../support/app.ts';

const never = new Promise<Response>(() => undefined);

test('a drain cuts off a request that has no answer at the deadline, and logs the cut', async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fetchNothing = () => {
    arrived();
    return never;
  };
  const listening = await listen({ fetch: fetchNothing }, '127.0.0.1', 0);
  const request = fetch(listening.url).then(
    () => 'answered',
    () => 'cut off',
  );
  await arrival;
  const { log, requests: infos, events: errors } = collectLog();
  await drainAndLog(listening, 50, log);
  expect(await request).toBe('cut off');
  expect(infos).toEqual([{ event: 'drain begun', of: 'requests' }]);
  expect(errors).toEqual([
    { event: 'requests cut off at the deadline', milliseconds: expect.any(Number) },
  ]);
});

test('a drain waits for running requests, and cuts off no request', async () => {
  let answer = (_: Response) => {};
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fetchLater = () => {
    arrived();
    return answered;
  };
  const listening = await listen({ fetch: fetchLater }, '127.0.0.1', 0);
  const request = fetch(listening.url);
  await arrival;
  const { log, requests: infos, events: errors } = collectLog();
  const drained = drainAndLog(listening, 60_000, log);
  await expect(fetch(listening.url)).rejects.toThrow();
  answer(new Response('late'));
  expect(await (await request).text()).toBe('late');
  await drained;
  expect([infos.at(-1), errors]).toEqual([
    { event: 'drained', of: 'requests', milliseconds: expect.any(Number) },
    [],
  ]);
});

const ok = { fetch: () => new Response('ok') };
const patient = { sockets: 100, headMs: 60_000, requestMs: 60_000 };

/** Sends only this text. Returns everything that the server sends before it ends the connection. */
async function answerTo(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test.each([
  ['the head of its request', { ...patient, headMs: 50 }, 'GET / HTTP/1.1\r\nHost: a'],
  [
    'its body',
    { ...patient, headMs: 50, requestMs: 100 },
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf',
  ],
])('a client that does not finish %s is cut off', async (_, limits, text) => {
  const fetchBody = { fetch: async (request: Request) => new Response(await request.text()) };
  const { url, drain } = await listen(fetchBody, '127.0.0.1', 0, limits);
  onTestFinished(async () => void (await drain(0)));
  expect(await answerTo(url, text)).toMatch(/^$|^HTTP\/1.1 408/);
});

test('a new socket over the limit is closed, and a later socket is accepted after another socket has ended', async () => {
  const { url, drain } = await listen(ok, '127.0.0.1', 0, { ...patient, sockets: 1 });
  onTestFinished(async () => void (await drain(0)));
  const { hostname, port } = new URL(url);
  const first = connect(Number(port), hostname).on('error', () => undefined);
  first.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(first, 'data');
  expect(await answerTo(url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  first.destroy();
  const again = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  await vi.waitFor(async () => expect(await answerTo(url, again)).toMatch(/^HTTP\/1.1 200/), {
    timeout: 20_000,
  });
});

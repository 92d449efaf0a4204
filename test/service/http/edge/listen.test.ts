import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../src/service/listen.ts';

const never = new Promise<Response>(() => undefined);

test('a drain cuts off a hanging request at its deadline, and reports that', async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fetchNothing = () => {
    arrived();
    return never;
  };
  const { url, drain } = await listen({ fetch: fetchNothing }, '127.0.0.1', 0);
  const request = fetch(url).then(
    () => 'answered',
    () => 'cut off',
  );
  await arrival;
  expect(await drain(50)).toBe(true);
  expect(await request).toBe('cut off');
});

test('a drain lets running requests end, and cuts off none', async () => {
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
  const { url, drain } = await listen({ fetch: fetchLater }, '127.0.0.1', 0);
  const request = fetch(url);
  await arrival;
  const drained = drain(60_000);
  await expect(fetch(url)).rejects.toThrow();
  answer(new Response('late'));
  expect(await (await request).text()).toBe('late');
  expect(await drained).toBe(false);
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
])('a client that does not end %s is cut off', async (_, limits, text) => {
  const fetchBody = { fetch: async (request: Request) => new Response(await request.text()) };
  const { url, drain } = await listen(fetchBody, '127.0.0.1', 0, limits);
  onTestFinished(async () => void (await drain(0)));
  expect(await answerTo(url, text)).toMatch(/^$|^HTTP\/1.1 408/);
});

test('a new socket past the bound is closed, and accepted again once another has ended', async () => {
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

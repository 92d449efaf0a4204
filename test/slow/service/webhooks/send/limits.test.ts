import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { version } from '../../../../../src/platform/process/project.ts';
import { send } from '../../../../../src/service/webhooks/send/send.ts';
import { startNameServer } from '../../../../service/webhooks/send/name-server.ts';
import {
  answers,
  certificate,
  deliver,
  makeReceiver,
  ok,
} from '../../../../service/webhooks/send/receivers.ts';
import { atEnd } from '../../../../support/command.ts';

const LIMIT_BYTES = 64 * 1024;
const authority = { ca: certificate('authority') };

const noAnswer = (reason: string) => ({ kind: 'no-answer', reason });
const broken = noAnswer('The connection broke before the answer was complete.');
const late = noAnswer('No complete answer came within 15 seconds.');

describe('an answer', () => {
  test('has a status and a first line', async () => {
    const { url } = await makeReceiver(
      answers('HTTP/1.1 404 Not Found', 'content-length: 11', '', 'no\nsecrets!'),
    );
    expect(await deliver(url)).toEqual({ kind: 'answered', status: 404, firstLine: 'no' });
  });

  test('may have an empty body', async () => {
    const { url } = await makeReceiver(answers('HTTP/1.1 204 No Content', '', ''));
    expect(await deliver(url)).toEqual({ kind: 'answered', status: 204, firstLine: '' });
  });

  test('with the status 429 asks for a pause, in seconds or by a date', async () => {
    const pauses = ['7', new Date(Date.now() + 3_600_000).toUTCString()];
    const asked = await Promise.all(
      pauses.map(async (pause) => {
        const head = ['HTTP/1.1 429 Slow Down', `retry-after: ${pause}`, 'content-length: 0'];
        const { url } = await makeReceiver(answers(...head, '', ''));
        return deliver(url);
      }),
    );
    const answered = { kind: 'answered', status: 429, firstLine: '' };
    const aboutAnHour = expect.closeTo(3_570_000, -5);
    expect(asked).toEqual([
      { ...answered, retryAfterMs: 7_000 },
      { ...answered, retryAfterMs: aboutAnHour },
    ]);
  });

  test('that redirects is not followed', async () => {
    const other = await makeReceiver(ok);
    for (const location of [other.url, 'http://169.254.169.254/latest/meta-data/'])
      for (const status of [301, 302, 303, 307, 308]) {
        const { url } = await makeReceiver(
          answers(`HTTP/1.1 ${status} Away`, `location: ${location}`, 'content-length: 0', '', ''),
        );
        expect(await deliver(url)).toEqual({ kind: 'answered', status, firstLine: '' });
      }
    expect(other.connections()).toBe(0);
  });

  test('is cut at 64 kB, and the connection is closed', async () => {
    const { url, closed } = await makeReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.write(`first\n${'x'.repeat(LIMIT_BYTES)}`);
    });
    expect(await deliver(url)).toEqual({ kind: 'answered', status: 200, firstLine: 'first' });
    expect(await closed()).toBe(true);
  });

  test('that never ends is cut too', async () => {
    const { url, closed } = await makeReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = () => {
        while (socket.writable && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
      };
      socket.on('drain', more);
      more();
    });
    expect(await deliver(url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(await closed()).toBe(true);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ['after half a body', answers('HTTP/1.1 200 OK', 'content-length: 100', '', 'half')],
    [
      'after half a chunk',
      answers('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '64', 'half'),
    ],
    ['after half a head', answers('HTTP/1.1 200 OK', 'content-le')],
    ['before the first byte', (socket) => socket.destroy()],
    ['after the request', answers('')],
    ['with a reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    [
      'after a change of protocols',
      answers('HTTP/1.1 101 Switch', 'connection: upgrade', 'upgrade: x', '', ''),
    ],
  ])('that breaks off %s does not count as an answer', async (_, behave) => {
    const { url, connections } = await makeReceiver(behave);
    expect(await deliver(url)).toEqual(broken);
    expect(connections()).toBe(1);
  });

  test('with endless interim answers is cut off at 64 kB', async () => {
    const { url, closed } = await makeReceiver((socket) => {
      const more = () => {
        while (socket.writable && socket.write('HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'));
      };
      socket.on('drain', more);
      more();
    });
    expect(await deliver(url)).toEqual(broken);
    expect(await closed()).toBe(true);
  });

  test.each([
    ['words', 'hello there\r\n\r\n'],
    ['a status of letters', 'HTTP/1.1 abc\r\n\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(LIMIT_BYTES)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
  ])('of %s counts as invalid HTTP', async (_, text) => {
    const { url } = await makeReceiver(answers(text));
    expect(await deliver(url)).toEqual(noAnswer('The answer is not valid HTTP.'));
  });

  test('does not come from a closed port', async () => {
    const { url, port } = await makeReceiver(ok);
    expect(await deliver(url)).toMatchObject({ status: 200 });
    const closed = await makeReceiver(ok, { host: '127.0.0.9', port });
    expect(closed.connections()).toBe(0);
    expect(await deliver(`http://127.0.0.10:${port}/`)).toEqual(
      noAnswer('The host cannot be reached.'),
    );
  });
});

/** The receivers that never end their answer. */
const endless: Record<string, (socket: Socket) => unknown> = {
  'hangs at once': () => undefined,
  'hangs after the head': (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'),
  'hangs one byte below 64 kB': (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(LIMIT_BYTES - 1)}`),
  'drips a head': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
  'drips a body': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'),
  'drips interim answers': (socket) => drip(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
};

function drip(socket: Socket, first: string, next: string) {
  socket.write(first);
  const timer = setInterval(() => socket.write(next), 200);
  socket.on('close', () => clearInterval(timer));
}

/** Sends a message, and measures how long this takes. */
async function timed(url: string, more = {}) {
  const begun = performance.now();
  const sent = await deliver(url, more);
  return { sent, seconds: (performance.now() - begun) / 1000 };
}

describe('after 15 seconds', () => {
  // One test for all receivers, so that all of them hang at the same time.
  test('the service gives up on a receiver, whatever the receiver does', async () => {
    const receivers = await Promise.all(Object.values(endless).map((each) => makeReceiver(each)));
    const silent = await makeReceiver(() => undefined);
    const urls = [...receivers.map(({ url }) => url), silent.url.replace('http:', 'https:')];
    const all = await Promise.all(urls.map((url) => timed(url)));
    expect(all.map(({ sent }) => sent)).toEqual(all.map(() => late));
    for (const { seconds } of all) {
      expect(seconds).toBeGreaterThan(14.9);
      expect(seconds).toBeLessThan(20);
    }
    for (const { closed } of [...receivers, silent]) expect(await closed()).toBe(true);
  });
});

test('the service gives up on a silent name server before 15 seconds are over', async () => {
  const names = await startNameServer(() => 'silence');
  atEnd(names.close);
  const { sent, seconds } = await timed('https://hangs.example/', { nameServers: [names.address] });
  expect(sent).toEqual(noAnswer('The host of the URL must have public addresses, and no others.'));
  expect(seconds).toBeLessThan(15);
});

describe('TLS', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('a receiver with a valid certificate gets the message', async () => {
    const { url } = await makeReceiver(ok, { shows: 'localhost' });
    expect(await deliver(url, authority)).toEqual({
      kind: 'answered',
      status: 200,
      firstLine: 'fine',
    });
  });

  test.each([
    ['of an authority that nobody trusts', 'localhost', {}, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of another name', 'other-name', authority, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', 'expired', authority, 'CERT_HAS_EXPIRED'],
    ['that it has signed itself', 'self-signed', authority, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('a receiver with a certificate %s gets nothing', async (_, shows, trusted, code) => {
    const received: Buffer[] = [];
    const receive = (socket: Socket) => socket.on('data', (bytes) => received.push(bytes));
    const { url, closed } = await makeReceiver(receive, { shows });
    const refusal = noAnswer(`The certificate is not valid (${code}).`);
    expect(await deliver(url, trusted)).toEqual(refusal);
    // Node warns of this setting once. The warning is expected.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await deliver(url, trusted)).toEqual(refusal);
    expect(await closed()).toBe(true);
    expect(received).toEqual([]);
  });

  test('a receiver of plain HTTP does not speak TLS', async () => {
    const { url } = await makeReceiver(answers('HTTP/1.1 400 Bad Request', '', ''));
    expect(await deliver(url.replace('http:', 'https:'))).toEqual(
      noAnswer('The host does not speak TLS.'),
    );
  });
});

describe('a request', () => {
  test('has the expected headers, and no other headers', async () => {
    const received: string[] = [];
    const { url, port, connections } = await makeReceiver((socket) =>
      socket.once('data', (text) => {
        received.push(String(text));
        socket.end('HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n');
      }),
    );
    await deliver(url);
    await deliver(url);
    const request = [
      'POST /hook HTTP/1.1',
      'webhook-id: msg_1',
      'content-type: application/json',
      'content-length: 10',
      `user-agent: Rowlock/${version}`,
      `Host: localhost:${port}`,
      'Connection: close',
      '',
      '{"a":"ä"}',
    ].join('\r\n');
    expect(received).toEqual([request, request]);
    expect(connections()).toBe(2);
  });

  test('ends when its signal is aborted, with the reason of the signal', async () => {
    const stop = new AbortController();
    const { url, closed } = await makeReceiver((socket) =>
      socket.once('data', () => stop.abort(new Error('the worker stops'))),
    );
    const post = { url, headers: {}, body: '{}', loopback: true };
    await expect(send(post, stop.signal)).rejects.toThrow('the worker stops');
    expect(await closed()).toBe(true);
    await expect(send(post, stop.signal)).rejects.toThrow('the worker stops');
  });

  test('ends when its signal is aborted while a name server hangs', async () => {
    const stop = new AbortController();
    const names = await startNameServer(() => {
      stop.abort(new Error('the worker stops'));
      return 'silence';
    });
    atEnd(names.close);
    const post = { url: 'https://hangs.example/', headers: {}, body: '', loopback: false };
    const sending = send({ ...post, nameServers: [names.address] }, stop.signal);
    await expect(sending).rejects.toThrow('the worker stops');
  });
});

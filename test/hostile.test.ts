import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../src/service/program/service.ts';
import { makeApp, makeService } from './support/app.ts';
import { makeDatabase } from './support/database.ts';

const { app } = await makeApp();

test.each([
  ['OPTIONS', '/claim-job?jobId=1&recruiterId=1'],
  ['PUT', '/jobs'],
  ['PROPFIND', '/jobs'],
  ['SEARCH', '/nowhere'],
])(
  'a body above the general limit is refused, even if no route reads bodies: %s %s',
  async (method, path) => {
    for (const headers of [new Headers(), new Headers({ 'Idempotency-Key': 'a' })]) {
      const request = { method, headers, body: 'x'.repeat(20_000) };
      expect((await app.request(path, request)).status).toBe(413);
    }
  },
);

describe('a malformed request over a socket', () => {
  let service: Service;
  beforeAll(async () => {
    service = await makeService(await makeDatabase());
  });

  test.each([
    'GET / HTTP/1.1\r\n\r\n',
    'GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET //%zz HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'BREW /claim-job HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /jobs HTTP/1.1\r\nHost: a b\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
  ])('does no harm: %j', (bytes) => expectNoHarm(service, bytes));

  test('does no harm with an address of 20,000 characters', () =>
    expectNoHarm(service, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
});

async function expectNoHarm({ url }: Service, bytes: string) {
  const { port } = new URL(url);
  const socket = dial(Number(port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
    socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

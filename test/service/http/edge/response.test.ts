import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CommonResponse } from '../../../../src/service/http/edge/response.ts';

test('a header of the route replaces the common header with the same name, in large or small letters', async () => {
  const server = createServer({ ServerResponse: CommonResponse }, (_request, response) => {
    response.common = { 'cache-control': 'no-store', 'x-frame-options': 'DENY' };
    response.writeHead(200, { 'Cache-Control': 'no-cache', 'Set-Cookie': ['a=1', 'b=2'] }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = get({ port, host: '127.0.0.1', agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.headersDistinct).toMatchObject({
    'cache-control': ['no-cache'],
    'x-frame-options': ['DENY'],
    'set-cookie': ['a=1', 'b=2'],
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { atEnd, runSource } from '../../support/command.ts';
import { secret, startReceiver } from '../../support/example-receiver.ts';

test('the example stops although a request does not end', async () => {
  const { receiver, port } = await startReceiver();
  const socket = connect({ port, host: 'localhost' }).on('error', () => undefined);
  atEnd(() => socket.destroy());
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\nab',
  );
  // The interim answer shows that the request has begun.
  await once(socket, 'data');
  receiver.child.kill('SIGINT');
  expect(await receiver.ended).toEqual({ code: 0, signal: null });
});

test('the example says in one line that its port is in use', async () => {
  const { port } = await startReceiver();
  const env = { WEBHOOK_SECRET: secret };
  const second = runSource('examples/receive-webhooks.ts', [String(port)], env);
  expect((await second.ended).code).toBe(2);
  expect(second.stderr()).toMatch(/^listen EADDRINUSE.*\n$/);
});

test.each([undefined, '', 'secret', 'whsec_', `whsec_${'!'.repeat(40)}`])(
  'the example says in one line that %j is no secret',
  async (wrong) => {
    const env: Record<string, string> = wrong === undefined ? {} : { WEBHOOK_SECRET: wrong };
    const receiver = runSource('examples/receive-webhooks.ts', ['0'], env);
    expect((await receiver.ended).code).toBe(2);
    expect(receiver.stdout()).toBe('');
    expect(receiver.stderr()).toBe(
      'Set WEBHOOK_SECRET to the secret of the endpoint. It begins with whsec_.\n',
    );
  },
);

test.each(['x', '65536', '-1'])('the example says in one line that %j is no port', async (port) => {
  const receiver = runSource('examples/receive-webhooks.ts', [port], { WEBHOOK_SECRET: secret });
  expect((await receiver.ended).code).toBe(2);
  expect(receiver.stderr()).toBe('PORT must be a whole number from 0 to 65535.\n');
});

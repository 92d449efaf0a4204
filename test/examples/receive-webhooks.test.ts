import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../src/postgres/postmaster.ts';
import { send } from '../../src/webhooks/send/send.ts';
import { newSecret, signatureHeaders } from '../../src/webhooks/send/signature.ts';
import { atEnd, runSource } from '../support/command.ts';

const secret = newSecret();
const never = new AbortController().signal;

async function startReceiver() {
  const port = await freePort();
  const args = [String(port)];
  const receiver = runSource('examples/receive-webhooks.ts', args, { WEBHOOK_SECRET: secret });
  await receiver.says(/Waits for webhooks/);
  const url = `http://localhost:${port}/`;
  /** Sends a message as the service does. Returns the status and the first line of the answer. */
  const deliver = async (id: string, data: object, secrets = [secret]) => {
    const body = JSON.stringify({ type: 'claim.created', timestamp: new Date(), data });
    const headers = signatureHeaders({ id, at: new Date(), body, secrets });
    return send({ url, headers, body, loopback: true }, never);
  };
  return { receiver, port, deliver };
}

test('the example verifies messages, and drops repeats', async () => {
  const { receiver, port, deliver } = await startReceiver();
  const data = { job: { role: 'Baker' }, number: 7, slots: { remaining: 3 } };
  const taken = { kind: 'answered', status: 204, firstLine: '' };
  const refused = {
    kind: 'answered',
    status: 400,
    firstLine: 'The message cannot be verified.',
  };
  expect(await deliver('msg_1', data)).toEqual(taken);
  expect(await deliver('msg_1', data)).toEqual(taken);
  expect(await deliver('msg_2', data, [newSecret(), secret])).toEqual(taken);
  expect(await deliver('msg_3', data, [newSecret()])).toEqual(refused);
  expect(await deliver('msg_4', {})).toEqual(taken);
  receiver.child.kill('SIGINT');
  expect(await receiver.ended).toEqual({ code: 0, signal: null });
  expect(receiver.stderr()).toBe('');
  expect(receiver.stdout().trimEnd().split('\n')).toEqual([
    `Waits for webhooks on port ${port}.`,
    'claim.created: Baker, event 7, free slots: 3 (msg_1)',
    'Repeat, dropped (msg_1)',
    'claim.created: Baker, event 7, free slots: 3 (msg_2)',
    'Refused: No matching signature found',
    'claim.created (msg_4)',
  ]);
});

test('the example stops although a request does not end', async () => {
  const { receiver, port } = await startReceiver();
  const socket = connect({ port, host: 'localhost' });
  atEnd(() => socket.destroy());
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\nab',
  );
  // The interim answer shows that the request has begun.
  await once(socket, 'data');
  receiver.child.kill('SIGINT');
  expect(await receiver.ended).toEqual({ code: 0, signal: null });
});

test.each([undefined, '', 'secret', 'whsec_', `whsec_${'!'.repeat(40)}`])(
  'the example says in one line that the secret %j is none',
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

test('the example says in one line that its port is in use', async () => {
  const { port } = await startReceiver();
  const env = { WEBHOOK_SECRET: secret };
  const second = runSource('examples/receive-webhooks.ts', [String(port)], env);
  expect((await second.ended).code).toBe(2);
  expect(second.stderr()).toMatch(/^listen EADDRINUSE.*\n$/);
});

import { expect, test } from 'vitest';
import { newSecret } from '../../src/service/webhooks/send/signature.ts';
import { runSource } from '../support/command.ts';
import { secret, startReceiver } from '../support/example-receiver.ts';

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

test('the example says in one line that there is no secret', async () => {
  const receiver = runSource('examples/receive-webhooks.ts', ['0']);
  expect((await receiver.ended).code).toBe(2);
  expect(receiver.stdout()).toBe('');
  expect(receiver.stderr()).toBe(
    'Set WEBHOOK_SECRET to the secret of the endpoint. It begins with whsec_.\n',
  );
});

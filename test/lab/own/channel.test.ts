import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { hearMessages } from '../../../src/lab/own/channel.ts';
import { type FromGuest, fromGuest } from '../../../src/lab/own/messages.ts';

const line = (secret: string, message: unknown) => `${JSON.stringify({ secret, message })}\n`;

/** Returns the messages that a parent accepts when these lines arrive. */
async function heard(lines: string[]): Promise<FromGuest[]> {
  const channel = new PassThrough();
  const messages: FromGuest[] = [];
  hearMessages(channel, fromGuest, (message) => messages.push(message));
  channel.end(lines.join(''));
  await text(channel);
  return messages;
}

const begun = line('s', { kind: 'beat' });
const failed = { kind: 'failed', line: 'a.ts:1: Error: oh' };

test('a parent accepts the messages with the secret of the first message', async () => {
  expect(await heard([begun, line('s', failed)])).toEqual([{ kind: 'beat' }, failed]);
});

test.each([
  ['is null', 'null\n'],
  ['is no JSON', '{\n'],
  ['has another secret', line('x', failed)],
  ['has no secret', `${JSON.stringify(failed)}\n`],
  ['is of an unknown kind', line('s', { kind: 'ended', code: 0 })],
  ['has a field of another type', line('s', { kind: 'ready', told: {} })],
])('a parent ignores a line that %s', async (_, forged) => {
  expect(await heard([begun, forged, begun])).toEqual([{ kind: 'beat' }, { kind: 'beat' }]);
});

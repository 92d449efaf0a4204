import { expect, onTestFinished, test } from 'vitest';
import { Dice } from '../../../../proof/faults/dice.ts';
import { Inbox } from '../../../../proof/faults/workers/inbox.ts';
import { openReceiver } from '../../../../proof/faults/workers/receiver.ts';

/** Opens a receiver whose dice always draw the same number. */
async function makeReceiver(drawn: number) {
  const inbox = new Inbox();
  const receiver = await openReceiver(inbox, new Dice(() => drawn));
  onTestFinished(() => receiver.close());
  const post = async (id = 'msg_1', patienceMs = 10_000) => {
    const answer = await fetch(`${receiver.url}/1-0`, {
      method: 'POST',
      headers: { 'webhook-id': id },
      body: '{}',
      signal: AbortSignal.timeout(patienceMs),
    });
    return { status: answer.status, body: await answer.text() };
  };
  return { inbox, receiver, post };
}
const message = { endpoint: '1-0', id: 'msg_1', body: '{}' };

test('most messages are accepted', async () => {
  const { inbox, post } = await makeReceiver(0.9);
  expect(await post()).toEqual({ status: 200, body: 'ok' });
  expect(inbox.messages).toEqual([message]);
  expect(inbox.hasAccepted(message)).toBe(true);
});

test('one message in five is recorded, and is answered with an error', async () => {
  const { inbox, post } = await makeReceiver(0.1);
  expect((await post()).status).toBeGreaterThanOrEqual(429);
  expect(inbox.messages).toEqual([message]);
  expect(inbox.hasAccepted(message)).toBe(false);
});

test('an answer that is cut off after half of its body is no acceptance', async () => {
  const { inbox, post } = await makeReceiver(0.24);
  await expect(post()).rejects.toThrow();
  expect(inbox.messages).toEqual([message]);
  expect(inbox.hasAccepted(message)).toBe(false);
});

test('a message that gets no answer is recorded', async () => {
  const { inbox, post } = await makeReceiver(0.252);
  await expect(post('msg_1', 200)).rejects.toThrow('timeout');
  expect(inbox.messages).toEqual([message]);
});

test('a message with a late answer counts as accepted', async () => {
  const { inbox, post } = await makeReceiver(0.21);
  expect(await post()).toEqual({ status: 200, body: 'ok' });
  expect(inbox.hasAccepted(message)).toBe(true);
});

test('a calm receiver accepts every message', async () => {
  const { receiver, post } = await makeReceiver(0.1);
  receiver.calm();
  expect(await post()).toEqual({ status: 200, body: 'ok' });
});

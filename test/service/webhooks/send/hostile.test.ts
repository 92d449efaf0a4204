import { describe, expect, test } from 'vitest';
import { send } from '../../../../src/service/webhooks/send/send.ts';
import { judgeUrl } from '../../../../src/service/webhooks/send/target.ts';
import { atEnd } from '../../../support/command.ts';
import { HOSTILE_URLS, hostileZone } from './hostile-urls.ts';
import { startNameServer } from './name-server.ts';
import { deliver, makeReceiver, ok } from './receivers.ts';

const names = await startNameServer(hostileZone);
atEnd(names.close);
const nameServers = [names.address];
const never = new AbortController().signal;
const strict = { loopback: false, nameServers };

test.each(HOSTILE_URLS)(
  'a URL with %s is refused at its registration and at each send',
  async (_, url) => {
    const reason = await judgeUrl(url, strict);
    expect(reason).toMatch(/^(The|The host of the) URL (must|is) [a-z ,]+\.$/);
    const sent = await send({ url, headers: {}, body: '{}', ...strict }, never);
    expect(sent).toEqual({ kind: 'no-answer', reason });
  },
);

test.each([
  'https://8.8.8.8/',
  'https://[2606:4700::1111]:8443/a?b',
  'https://public.example/',
  'https://ipv6-only.example/',
  'https://PUBLIC.example./',
])('the URL %s may be registered', async (url) => {
  expect(await judgeUrl(url, strict)).toBeUndefined();
});

test('a name that becomes private after it was registered gets no connection', async () => {
  const receiver = await makeReceiver(ok);
  const url = `https://then.registered.example:${receiver.port}/`;
  expect(await judgeUrl(url, strict)).toBeUndefined();
  const sent = await send({ url, headers: {}, body: '{}', ...strict }, never);
  expect(sent).toMatchObject({ kind: 'no-answer' });
  expect(receiver.connections()).toBe(0);
});

test('the connection goes to the checked address, although the name has a new address now', async () => {
  const checked = await makeReceiver(ok, { host: '127.0.0.1' });
  const later = await makeReceiver(ok, { host: '127.0.0.2', port: checked.port });
  const moving = await startNameServer(({ type, before }) =>
    type === 'AAAA' ? [] : [before === 0 ? '127.0.0.1' : '127.0.0.2'],
  );
  atEnd(moving.close);
  const url = `http://moves.example:${checked.port}/`;
  expect(await deliver(url, { nameServers: [moving.address] })).toMatchObject({ status: 200 });
  expect([checked.connections(), later.connections()]).toEqual([1, 0]);
  expect(moving.questions.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA']);
});

describe('with loopback allowed', () => {
  const open = { loopback: true, nameServers };
  test.each([
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'https://localhost/',
    'http://loopback.example/',
    'https://8.8.8.8/',
  ])('the URL %s may be registered', async (url) => {
    expect(await judgeUrl(url, open)).toBeUndefined();
  });
  test.each([
    'http://8.8.8.8/',
    'http://public.example/',
    'http://10.0.0.1/',
    'http://both.example/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
    'https://169.254.169.254/',
    'http://user@localhost/',
  ])('the URL %s is refused', async (url) => {
    expect(await judgeUrl(url, open)).toMatch(/^The /);
  });
});

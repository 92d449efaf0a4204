import { once } from 'node:events';
import postgres from 'postgres';
import { beforeAll, expect, test, vi } from 'vitest';
import { replay } from '../../../src/explorer/explore.ts';
import { int32, message, text } from '../../../src/explorer/wire/messages.ts';
import { Notes, query } from '../../support/notes.ts';
import { RawClient } from '../../support/raw-client.ts';
import { makeWire } from '../../support/wire.ts';

let notes: Notes;
beforeAll(async () => {
  notes = await Notes.make();
});

test('a program that never stops sending is a hang, and its statements do not pile up', async () => {
  const played = await notes.play(async () => {
    const raw = await RawClient.ready(notes.address);
    const batch = Buffer.concat(Array.from({ length: 10_000 }, () => query('select from notes')));
    for (;;) {
      if (raw.socket.destroyed) return;
      const isTaken = raw.socket.write(batch);
      if (!isTaken) await Promise.race([once(raw.socket, 'drain'), once(raw.socket, 'close')]);
    }
  });
  expect(played.summary).toBe('the schedule had not ended after 200 steps');
  await notes.expectUsable();
});

test.each([
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'a message has 1195725856 bytes'],
  ['an old version', message('', int32(2 << 16)), 'no version 3'],
  ['zeros', Buffer.alloc(100), 'a message says that it has 0 bytes'],
  ['a start without an end', message('', int32(3 << 16), Buffer.from('user')), 'has no end'],
])('a client that begins with %s gets the reason, and is cut off', async (_, bytes, why) => {
  const raw = RawClient.silent(notes.address);
  raw.send(bytes);
  const [said] = await raw.ended();
  expect(String(said?.body)).toContain(why);
  expect(notes.wire.remarks.join()).toContain(why);
});

test.each([
  [
    'a giant length',
    Buffer.concat([Buffer.from('Q'), int32(2_000_000_000)]),
    'a message has 2000000000 bytes',
  ],
  ['an unknown type', message('?'), 'of the type "?"'],
  ['a Bind that is too short', Buffer.concat([message('B', text('')), message('S')]), 'no end'],
])('a client that sends %s gets the reason, and is cut off', async (_, bytes, why) => {
  const played = await notes.play(async () => {
    const raw = await RawClient.ready(notes.address);
    raw.send(query('begin'), query('insert into notes values (1)'), bytes);
    return String((await raw.ended()).at(-1)?.body);
  });
  expect(played.endings).toEqual([{ value: expect.stringContaining(why) }]);
  expect(played.summary).toBe('0 notes');
  await notes.expectUsable();
});

test('the locks of a program that dies are free for another program', async () => {
  const dies = async () => {
    const raw = await RawClient.ready(notes.address);
    raw.send(query('begin'));
    await raw.until('Z');
    raw.send(query('insert into notes values (1)'));
    await raw.until('Z');
    raw.socket.destroy();
    throw new Error('dead');
  };
  const other = async () => {
    const client = postgres(notes.wire.addresses[1] ?? '', { max: 1, fetch_types: false });
    await client`insert into notes values (1)`;
    await client.end();
    return 'written';
  };
  const played = await replay(notes.wire, notes.trialOf(dies, other), ['1', '2', '2']);
  expect([played.endings[1], played.summary]).toEqual([{ value: 'written' }, '1 notes']);
});

test('a closed stage leaves no connection to PostgreSQL, and accepts no new client', async () => {
  const own = await makeWire({ patienceMs: 100 });
  const raw = await RawClient.ready(own.addresses[0] ?? '');
  raw.send(query('begin'), query('select pg_sleep(60)'));
  await raw.until('Z');
  await own.close();
  await raw.ended();
  const left = `select from pg_stat_activity where datname = $1 and backend_type = 'client backend'`;
  const database = new URL(own.url).pathname.slice(1);
  // A backend that has lost its client is listed for another moment. A leftover would stay for the
  // minute of its `pg_sleep`.
  await vi.waitFor(async () => expect(await notes.wire.run(left, [database])).toHaveLength(0), {
    timeout: 20_000,
  });
  const late = RawClient.silent(own.addresses[0] ?? '');
  expect(await late.ended()).toEqual([]);
});

import { beforeAll, expect, test } from 'vitest';
import { Notes, query } from '../../../support/notes.ts';
import { RawClient } from '../../../support/raw-client.ts';

let notes: Notes;
beforeAll(async () => {
  notes = await Notes.make();
});

test('a program that never answers has the fault hang', async () => {
  const played = await notes.play(() => new Promise(() => undefined));
  expect([played.faults, played.summary]).toEqual([['hang'], 'S1 never ended']);
  expect(notes.wire.remarks).toContain(
    'S1: its program has not answered within 200 ms, although it ran alone',
  );
  await notes.expectUsable();
});

test('the summary tells that a program waits for a lock of its own other connection', async () => {
  const played = await notes.play(async () => {
    const [one, other] = [
      await RawClient.ready(notes.address),
      await RawClient.ready(notes.address),
    ];
    for (const said of ['begin', 'insert into notes values (1)']) {
      one.send(query(said));
      await one.until('Z');
    }
    other.send(query('insert into notes values (1)'));
    await other.until('Z');
  });
  const self = 'S1, which waits for a lock of its own other connection,';
  expect(played.summary).toBe(`${self} never ended`);
  await notes.expectUsable();
});

test('a program gets no more than 20 connections', async () => {
  const clients = Array.from({ length: 1_000 }, () => RawClient.silent(notes.address));
  const refused = await Promise.all(clients.slice(20).map((client) => client.ended()));
  expect(refused.every(([said]) => String(said?.body).includes('at most 20 connections'))).toBe(
    true,
  );
  for (const { socket } of clients) socket.destroy();
  await Promise.all(clients.map((client) => client.ended()));
  await notes.expectUsable();
});

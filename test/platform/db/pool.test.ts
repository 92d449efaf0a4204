import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { connect } from '../../src/db/client.ts';
import { createPool } from '../../src/db/pool.ts';
import { type Codecs, openSession } from '../../src/db/session.ts';
import { NOTHING_RAN } from '../../src/db/sqlstate.ts';
import { makeApp } from '../support/app.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';

/** Starts a relay to the database. It accepts the first `hanging` connections but never answers. */
async function makeHangingWay(databaseUrl: string, hanging: number) {
  const { hostname, port } = new URL(databaseUrl);
  const silent: Socket[] = [];
  let connections = 0;
  const server = createServer((near) => {
    near.on('error', () => undefined);
    connections++;
    if (silent.length < hanging) return void silent.push(near.resume());
    const far = createConnection(Number(port), hostname);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of silent) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, silent, connections: () => connections };
}

test.concurrent('a claim does not wait for a connection that hangs while it opens', async () => {
  const way = await makeHangingWay(await makeDatabase(), 2);
  const { claim } = await makeApp({ url: way.url });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((recruiter) => claim(1, recruiter)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 403]);
  expect(way.silent).toHaveLength(2);
  // These connections still hang, so the claims did not wait for a timeout of the connections.
  expect(way.silent.map(({ closed }) => closed)).toEqual([false, false]);
});

test.concurrent('connections that hang leave places for others, however many users wait', async () => {
  const way = await makeHangingWay(await makeDatabase(), 4);
  const { db, close } = connect(way.url, { connections: 6 });
  atEnd(close);
  const asked = Array.from({ length: 100 }, () => db.execute(sql`SELECT 1`));
  await Promise.all(asked);
  expect(way.silent.map(({ closed }) => closed)).toEqual([false, false, false, false]);
});

test.concurrent('a user is told in time that nothing ran if every connection hangs', async () => {
  const way = await makeHangingWay(await makeDatabase(), Number.POSITIVE_INFINITY);
  const { db, load, close } = connect(way.url, { connections: 2 });
  const asked = [1, 2, 3, 4].map(() => db.execute(sql`SELECT 1`));
  for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ cause: { code: NOTHING_RAN } });
  expect(load()).toEqual({ lent: 0, waiting: 0 });
  await close();
});

test.concurrent('a failed attempt to connect refuses nobody if a session is about to be free', async () => {
  const url = await makeDatabase();
  const codecs: Codecs = { parsers: {}, serializers: {} };
  let attempts = 0;
  const pool = createPool({ size: 3, line: 10, waitMs: 20_000 }, async () => {
    if (++attempts > 1) throw new Error('no more connections');
    return openSession({ url }, codecs);
  });
  atEnd(() => pool.close(0));
  let give = () => {};
  const held = pool.lend(() => new Promise<void>((resolve) => (give = resolve)));
  await vi.waitFor(() => expect(pool.load().lent).toBe(1));
  const waiting = pool.lend(async () => 'served');
  await vi.waitFor(() => expect(attempts).toBe(2));
  give();
  await held;
  expect(await waiting).toBe('served');
});

test.concurrent('there are never more connections than the pool has places', async () => {
  const way = await makeHangingWay(await makeDatabase(), 1);
  const { db, close } = connect(way.url, { connections: 3 });
  const rows = await Promise.all(
    Array.from({ length: 50 }, () => db.execute(sql`SELECT pg_backend_pid() AS pid`)),
  );
  expect(new Set(rows.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(3);
  expect(way.connections()).toBeLessThanOrEqual(3);
  await close();
});

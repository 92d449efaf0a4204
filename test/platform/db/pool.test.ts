import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import { type Codecs, openSession } from '../../../src/platform/db/session.ts';
import { NOTHING_RAN } from '../../../src/platform/db/sqlstate.ts';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { makeHangingWay } from '../../support/hanging-way.ts';

test.concurrent('a claim does not wait for a connection that hangs while it opens', async () => {
  const way = await makeHangingWay(await makeDatabase(), 2);
  const { claim } = await makeApp({ url: way.url });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((recruiter) => claim(1, recruiter)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 403]);
  expect(way.silent).toHaveLength(2);
  // These connections still hang, so the claims did not wait for a timeout of the connections.
  expect(way.silent.map(({ closed }) => closed)).toEqual([false, false]);
});

test.concurrent('hanging attempts to connect do not fill the pool, even if many users wait', async () => {
  const way = await makeHangingWay(await makeDatabase(), 4);
  const { db, close } = connect(way.url, { connections: 6 });
  atEnd(close);
  const asked = Array.from({ length: 100 }, () => db.execute(sql`SELECT 1`));
  await Promise.all(asked);
  expect(way.silent.map(({ closed }) => closed)).toEqual([false, false, false, false]);
});

test.concurrent('if connecting fails, a waiting user still gets a session that is now in use', async () => {
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

test.concurrent('a privileged user gets a session before all waiting users, even if the line is full', async () => {
  const url = await makeDatabase();
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const limits = { size: 1, line: 1, waitMs: 20_000 };
  const pool = createPool(limits, async () => openSession({ url }, codecs));
  atEnd(() => pool.close(0));
  let give = () => {};
  const held = pool.lend(() => new Promise<void>((resolve) => (give = resolve)));
  await vi.waitFor(() => expect(pool.load().lent).toBe(1));
  const order: string[] = [];
  const waiting = pool.lend(async () => void order.push('usual'));
  await expect(pool.lend(async () => undefined)).rejects.toMatchObject({ code: NOTHING_RAN });
  const privileged = [1, 2].map((n) => pool.lendFirst(async () => void order.push(`first ${n}`)));
  give();
  await Promise.all([held, waiting, ...privileged]);
  expect(order).toEqual(['first 1', 'first 2', 'usual']);
});

// test/slow/platform/db/pool.test.ts tests the same with a database.
test.concurrent('if every attempt to connect hangs, the attempts do not exceed the pool size, and a user gets NOTHING_RAN in time', async () => {
  let attempts = 0;
  const pool = createPool({ size: 2, line: 10, waitMs: 600 }, () => {
    attempts++;
    return new Promise(() => undefined);
  });
  const asked = [1, 2, 3, 4].map(() => pool.lend(async () => 'served'));
  for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: NOTHING_RAN });
  expect(attempts).toBe(2);
  expect(pool.load()).toEqual({ lent: 0, waiting: 0 });
  await pool.close(0);
});

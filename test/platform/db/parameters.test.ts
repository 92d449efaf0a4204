import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { openSession } from '../../../src/platform/db/session.ts';
import { companies, jobClaims } from '../../../src/service/database/schema.ts';
import { makeApp } from '../../support/app.ts';
import { makeDatabase, makeDatabaseWith } from '../../support/database.ts';
import { whileHeld } from '../../support/locks.ts';

describe.each(['repeatable read', 'serializable'])(
  'a database whose default isolation level is %s',
  (level) => {
    test('gives a job no more claims than slots, through two servers', async () => {
      const url = await makeDatabaseWith('default_transaction_isolation', level);
      const [one, other] = [await makeApp({ url }), await makeApp({ url })];
      const { asked } = await whileHeld(url, 1, async ({ untilWaiting }) => {
        const asked = [1, 2, 3, 4].flatMap((id) => [one.claim(1, id), other.claim(1, id + 4)]);
        await untilWaiting(2);
        return { asked };
      });
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 200, 200, 200, 403, 403, 403, 403]);
      expect(await one.db.$count(jobClaims, eq(jobClaims.jobId, 1n))).toBe(4);
    });
  },
);

test.each(['German', 'SQL, DMY', 'Postgres, DMY'])(
  'a database that writes dates in the style %s gives the same instants',
  async (style) => {
    const { call } = await makeApp({ url: await makeDatabaseWith('datestyle', style) });
    const { status, body } = await call('POST', '/jobs/1/claims', { recruiterId: 1 });
    expect(status).toBe(201);
    const read = await call('GET', `/claims/${body.claim.id}`);
    expect(read.body.claim).toEqual(body.claim);
    expect(body.claim.claimedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
  },
);

test('a transaction states its isolation level, and does not depend on the default of its session', async () => {
  const { db, close } = connect(await makeDatabase(), { connections: 1 });
  await db.execute(sql`SET default_transaction_isolation = 'serializable'`);
  const level = await db.transaction(
    async (tx) => (await tx.execute(sql`SHOW transaction_isolation`))[0],
  );
  expect(level).toEqual({ transaction_isolation: 'read committed' });
  await close();
});

test('a session sets its parameters by statements, which no pooler refuses or drops', async () => {
  const startup: unknown[] = [];
  const open: typeof openSession = (settings, codecs) => {
    startup.push(settings.parameters);
    return openSession(settings, codecs);
  };
  const { db, close } = connect(await makeDatabase(), { connections: 1, open, lockTimeoutMs: 321 });
  const rows = await db.execute<{ name: string; value: string }>(sql`
    SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN
      ('statement_timeout', 'lock_timeout', 'default_transaction_isolation', 'DateStyle')`);
  expect(startup).toEqual([undefined]);
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({
    DateStyle: 'ISO, MDY',
    default_transaction_isolation: 'read committed',
    lock_timeout: '321ms',
    statement_timeout: '5s',
  });
  await close();
});

test('behind a pooler in transaction mode, each transaction and each single statement has the settings', async () => {
  const url = await makeDatabaseWith('DateStyle', 'SQL, DMY');
  const { db, close } = connect(url, {
    connections: 1,
    pooler: 'transaction',
    lockTimeoutMs: 321,
  });
  const settings = sql`
    SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle,
      current_setting('transaction_isolation') AS level, current_setting('DateStyle') AS style`;
  const expected = {
    lock: '321ms',
    statement: '5s',
    idle: '10s',
    level: 'read committed',
    style: 'ISO, DMY',
  };
  expect(await db.execute(settings)).toEqual([expected]);
  expect(await db.transaction((tx) => tx.execute(settings))).toEqual([expected]);
  const level = await db.transaction((tx) => tx.execute(sql`SHOW transaction_isolation`), {
    isolationLevel: 'repeatable read',
  });
  expect(level).toEqual([{ transaction_isolation: 'repeatable read' }]);
  await close();
});

test('behind a pooler in transaction mode, a single read ends with `end`, and a single write with `commit`', async () => {
  const ends: string[] = [];
  const { db, close } = connect(await makeDatabase(), {
    connections: 1,
    pooler: 'transaction',
    observe: ({ text }) => void (/^(end|commit)$/.test(text) && ends.push(text)),
  });
  await db.select().from(companies);
  await db.insert(companies).values({ name: 'written alone' });
  expect(ends).toEqual(['end', 'commit']);
  expect(await db.$count(companies, eq(companies.name, 'written alone'))).toBe(1);
  await close();
});

import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { connect, databaseOver } from '../../src/platform/db/client.ts';
import { nothingRan } from '../../src/platform/db/sqlstate.ts';
import { makeApp } from '../support/app.ts';
import { runServer } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { makeWay } from '../support/way.ts';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 40_000 });
const keyed = (key: string) => ({ 'Idempotency-Key': key });

/** The maximum time for an answer of the database. It is short, so the tests do not take long. */
const ANSWER_TIMEOUT_MS = 300;

test('every request is answered while the database sends nothing, and works once the database answers again', async () => {
  const way = await makeWay(await makeDatabase());
  const { app, call, feed, events } = await makeApp({
    ...{ url: way.url, answerTimeoutMs: ANSWER_TIMEOUT_MS },
  });
  const claimed = await call('POST', '/jobs/1/claims', { recruiterId: 1 });
  // These requests open all connections of the pool, so the freeze affects all of them.
  await Promise.all(Array.from({ length: 20 }, () => call('GET', '/jobs')));
  way.freeze(true);
  const ask = (round: number) =>
    Promise.all([
      call('GET', '/jobs/1'),
      call('GET', '/claim-job?jobId=2&recruiterId=1'),
      call('POST', '/jobs/2/claims', { recruiterId: 2 }, keyed(`claim-${round}`)),
      call('DELETE', `/claims/${claimed.body.claim.id}`),
      call('DELETE', `/claims/${claimed.body.claim.id}`, undefined, keyed(`release-${round}`)),
      call('POST', '/jobs', { companyId: 1, role: 'A job' }),
    ]);
  for (const round of [1, 2, 3])
    for (const { status, body } of await ask(round)) {
      expect(status).toBe(503);
      expect(body.code).toMatch(/^(busy|outcome-unknown)$/);
    }
  expect((await app.request('/readyz')).status).toBe(503);
  expect(feed.load().followers).toBe(0);
  way.freeze(false);
  await soon(async () => expect((await app.request('/readyz')).status).toBe(200));
  await soon(async () => expect((await call('GET', '/jobs/1')).status).toBe(200));
  expect((await call('POST', '/jobs/3/claims', { recruiterId: 3 })).status).toBe(201);
  expect(events).toEqual([]);
});

test('if the database stops answering during a transaction, the transaction is lost and runs no later statement', async () => {
  const url = await makeDatabase();
  const way = await makeWay(url);
  // A busy machine needed more than 300 ms for the first insert.
  const { db, close } = connect(way.url, { connections: 1, answerTimeoutMs: 3_000 });
  const insert = (name: string) => sql`INSERT INTO companies (name) VALUES (${name})`;
  const running = db.transaction(async (tx) => {
    await tx.execute(insert('before'));
    way.freeze(true);
    const unanswered = { cause: { code: 'NOTHING_RAN', cause: { code: 'NO_ANSWER' } } };
    await expect(tx.execute(insert('unanswered'))).rejects.toMatchObject(unanswered);
    way.freeze(false);
    await tx.execute(insert('after'));
  });
  await expect(running).rejects.toMatchObject({ cause: { code: 'NOTHING_RAN' } });
  const found = await db.execute(
    sql`SELECT 1 FROM companies WHERE name IN ('before', 'unanswered', 'after')`,
  );
  expect(found).toHaveLength(0);
  await close();
});

test('a transaction that got no connection in time does not wait for a connection again', async () => {
  const lend = vi.fn(async () => {
    throw nothingRan(new Error('no session became free in time'));
  });
  const db = databaseOver({ lend }, { parsers: {}, serializers: {} });
  const running = db.transaction((tx) => tx.execute(sql`SELECT 1`));
  await expect(running).rejects.toMatchObject({ code: 'NOTHING_RAN' });
  expect(lend).toHaveBeenCalledTimes(1);
});

test('a server ends on SIGTERM although the database does not answer and a claim is running', async () => {
  const way = await makeWay(await makeDatabase());
  const server = runServer({ DATABASE_URL: way.url });
  const [, url = ''] = await server.says(/listens on (\S+)/);
  expect((await fetch(`${url}/claim-job?jobId=1&recruiterId=1`)).status).toBe(200);
  way.freeze(true);
  const claim = fetch(`${url}/claim-job?jobId=1&recruiterId=2`);
  // One lost message is the claim. The other message is from the cleanup, which runs each second.
  await soon(() => expect(way.swallowed()).toBeGreaterThan(1));
  server.child.kill('SIGTERM');
  expect((await claim).status).toBe(503);
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { makeApp } from '../support/app.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { whileHeld } from '../support/locks.ts';

/** A session that does not belong to the app. */
function makeSession(databaseUrl: string) {
  const session = postgres(databaseUrl, { max: 1 });
  atEnd(() => session.end({ timeout: 1 }));
  return session;
}

const countClaims = async (session: postgres.Sql, jobId: number) => {
  const [row] = await session`SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${jobId}`;
  return row?.n;
};

test('a claim waits for the lock of another session, and is granted after it', async () => {
  const { claim, databaseUrl } = await makeApp();
  const observer = makeSession(databaseUrl);
  const { answer } = await whileHeld(databaseUrl, 1, async ({ untilWaitedFor }) => {
    const answer = claim(1, 1);
    await untilWaitedFor();
    expect(await countClaims(observer, 1)).toBe(0);
    return { answer };
  });
  expect((await answer).status).toBe(200);
  expect(await countClaims(observer, 1)).toBe(1);
});

test('100 claims of a held job are all answered busy, and other jobs can be claimed meanwhile', async () => {
  const { claim, databaseUrl } = await makeApp({
    lockTimeoutMs: 500,
    limits: { waitMs: 500 },
  });
  const answers = await whileHeld(databaseUrl, 1, async () => {
    const held = Array.from({ length: 100 }, (_, n) => claim(1, n + 1));
    const others = await Promise.all([2, 3, 4, 5].map((jobId) => claim(jobId, 1)));
    expect(others.map((each) => each.status)).toEqual([200, 200, 200, 200]);
    return Promise.all(held);
  });
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'busy' });
  }
  expect(await countClaims(makeSession(databaseUrl), 1)).toBe(0);
  expect((await claim(1, 1)).status).toBe(200);
});

test('a claim that is not decided in time is answered outcome-unknown, and a repeat tells the outcome', async () => {
  const { claim, databaseUrl } = await makeApp({ limits: { answerMs: 500 } });
  // This claim opens the app's connection. Therefore the late claim waits only for the lock.
  await claim(2, 1);
  const late = await whileHeld(databaseUrl, 1, () => claim(1, 1));
  expect(late.status).toBe(503);
  expect(await late.json()).toMatchObject({ code: 'outcome-unknown' });
  // The late claim ran on and was granted. A repeat shows this.
  await vi.waitFor(async () => expect((await claim(1, 1)).status).toBe(409), { timeout: 20_000 });
});

test('an error after the answer is logged', async () => {
  const { claim, databaseUrl, events } = await makeApp({ limits: { answerMs: 100 } });
  await whileHeld(databaseUrl, 1, async ({ tx }) => {
    expect((await claim(1, 1)).status).toBe(503);
    await tx`ALTER TABLE job_claims RENAME COLUMN recruiter_id TO hidden`;
  });
  await vi.waitFor(
    () => expect(events).toMatchObject([{ event: 'claim failed after its answer' }]),
    { timeout: 20_000 },
  );
});

test('a claim that loses its connection before COMMIT is answered busy, with a key or without', async () => {
  const { call, databaseUrl, events } = await makeApp();
  const observer = makeSession(databaseUrl);
  const answers = await whileHeld(databaseUrl, 1, async ({ untilWaitedFor }) => {
    const asked = [
      call('POST', '/jobs/1/claims', { recruiterId: 1 }),
      call('POST', '/jobs/1/claims', { recruiterId: 2 }, { 'Idempotency-Key': 'lost' }),
    ];
    await untilWaitedFor();
    await observer`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    return Promise.all(asked);
  });
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(answers.map(({ body }) => body.code)).toEqual(['busy', 'busy']);
  expect(await countClaims(observer, 1)).toBe(0);
  expect(events).toEqual([]);
});

test('a claim uses another session after a server refused to write', async () => {
  const { claim, db } = await makeApp();
  await db.execute(sql`SET default_transaction_read_only = on`);
  const refused = await claim(1, 1);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'busy' });
  expect((await claim(1, 1)).status).toBe(200);
});

test('a claim is answered busy if the database cannot be reached', async () => {
  const { claim } = await makeApp({ url: 'postgres://nobody:secret@127.0.0.1:1/none' });
  const answer = await claim(1, 1);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: 'busy' });
});

test('an unexpected error is answered 500 and logged, without SQL, parameters or secrets', async () => {
  const { claim, db, events } = await makeApp();
  await db.execute(sql`ALTER TABLE job_claims RENAME COLUMN recruiter_id TO hidden`);
  const answer = await claim(1, 424_242, { headers: { 'X-Request-Id': 'the-id' } });
  expect(answer.status).toBe(500);
  const body = await answer.text();
  expect(JSON.parse(body)).toMatchObject({ code: 'internal-error', requestId: 'the-id' });
  expect(events).toMatchObject([{ requestId: 'the-id', event: 'request failed' }]);
  const logged = JSON.stringify(events);
  expect(logged).toContain('42703');
  for (const text of [body, logged]) {
    expect(text).not.toMatch(/select|insert|hidden|424242|recruiter_id/i);
  }
});

test('a claim is refused at once if the queue is full', async () => {
  const databaseUrl = await makeDatabase();
  const limits = { lines: 1, waiting: 3, waitMs: 60_000 };
  const { claim } = await makeApp({ url: databaseUrl, limits });
  const { waiting } = await whileHeld(databaseUrl, 1, async () => {
    const waiting = [1, 2, 3].map((recruiterId) => claim(1, recruiterId));
    expect((await claim(1, 4)).status).toBe(503);
    return { waiting };
  });
  const statuses = (await Promise.all(waiting)).map((answer) => answer.status);
  expect(statuses).toEqual([200, 200, 200]);
});

test('a crowd of other requests costs no claim its place', async () => {
  const { app, claim } = await makeApp();
  const read = () => app.request('/jobs/1');
  // Requests before the crowd open all connections. During the crowd this process is too busy for it.
  await Promise.all(Array.from({ length: 50 }, read));
  // More requests than may wait for a connection, so the service refuses some of them.
  const crowd = Array.from({ length: 1_200 }, read);
  const claims = [1, 2, 3, 4].map((recruiter) => claim(1, recruiter));
  const statuses = (await Promise.all(crowd)).map(({ status }) => status);
  expect(statuses).toContain(503);
  expect((await Promise.all(claims)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

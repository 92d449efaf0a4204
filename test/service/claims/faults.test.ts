import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { whileHeld } from '../../support/locks.ts';

/** Opens a session that does not belong to the app. */
function makeSession(databaseUrl: string) {
  const session = postgres(databaseUrl, { max: 1 });
  atEnd(() => session.end({ timeout: 1 }));
  return session;
}

const countClaims = async (session: postgres.Sql, jobId: number) => {
  const [row] = await session`SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${jobId}`;
  return row?.n;
};

test('a claim waits while another session has locked the job, and is granted afterwards', async () => {
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

test('while another session has locked a job, 100 claims of the job get `busy`, and claims of other jobs succeed', async () => {
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

test('a claim that is not decided in time gets `outcome-unknown`, and a repeated claim shows the outcome', async () => {
  const { claim, databaseUrl } = await makeApp({ limits: { answerMs: 500 } });
  // This claim opens the app's connection. Therefore the late claim waits only for the lock.
  await claim(2, 1);
  const late = await whileHeld(databaseUrl, 1, () => claim(1, 1));
  expect(late.status).toBe(503);
  expect(await late.json()).toMatchObject({ code: 'outcome-unknown' });
  // The late claim ran on and was granted. A repeat shows this.
  await vi.waitFor(async () => expect((await claim(1, 1)).status).toBe(409), { timeout: 20_000 });
});

test('if a claim fails after it was answered, the error is logged', async () => {
  const { claim, db, databaseUrl, events } = await makeApp({ limits: { answerMs: 1_000 } });
  // A claim without a session would never begin. A busy machine may need a while for a session.
  await db.execute(sql`SELECT`);
  await whileHeld(databaseUrl, 1, async ({ tx }) => {
    expect((await claim(1, 1)).status).toBe(503);
    await tx`ALTER TABLE job_claims RENAME COLUMN recruiter_id TO hidden`;
  });
  await vi.waitFor(
    () => expect(events).toMatchObject([{ event: 'claim failed after its answer' }]),
    { timeout: 20_000 },
  );
});

test('after a server in read-only mode has refused a claim, the next claim uses another session', async () => {
  const { claim, db } = await makeApp();
  await db.execute(sql`SET default_transaction_read_only = on`);
  const refused = await claim(1, 1);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'busy' });
  expect((await claim(1, 1)).status).toBe(200);
});

test('a claim gets `busy` if the database cannot be reached', async () => {
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

test('a claim is refused immediately if the queue is full', async () => {
  const databaseUrl = await makeDatabase();
  const limits = { lockWaits: 1, waiting: 3, waitMs: 60_000 };
  const { claim } = await makeApp({ url: databaseUrl, limits });
  const { waiting } = await whileHeld(databaseUrl, 1, async () => {
    const waiting = [1, 2, 3].map((recruiterId) => claim(1, recruiterId));
    expect((await claim(1, 4)).status).toBe(503);
    return { waiting };
  });
  const statuses = (await Promise.all(waiting)).map((answer) => answer.status);
  expect(statuses).toEqual([200, 200, 200]);
});

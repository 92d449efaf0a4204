import postgres from 'postgres';
import { expect, test } from 'vitest';
import { makeApp } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { whileHeld } from '../../../support/locks.ts';

test('a claim that loses its connection before COMMIT gets `busy`, with or without an idempotency key', async () => {
  const { call, databaseUrl, events } = await makeApp();
  const observer = postgres(databaseUrl, { max: 1 });
  atEnd(() => observer.end({ timeout: 1 }));
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
  expect(await observer`SELECT 1 FROM job_claims WHERE job_id = 1`).toHaveLength(0);
  expect(events).toEqual([]);
});

test('claims still get database connections while a crowd of other requests waits for connections', async () => {
  // A busy machine takes seconds for the crowd, so the claims need long limits.
  const { app, claim } = await makeApp({ limits: { waitMs: 60_000, answerMs: 60_000 } });
  const read = () => app.request('/jobs/1');
  // These requests open all connections before the crowd comes. During the crowd, this process is
  // too busy to open connections.
  await Promise.all(Array.from({ length: 50 }, read));
  // Not all of these requests may wait for a connection, so the service refuses some of them.
  const crowd = Array.from({ length: 1_200 }, read);
  const claims = [1, 2, 3, 4].map((recruiter) => claim(1, recruiter));
  const statuses = (await Promise.all(crowd)).map(({ status }) => status);
  expect(statuses).toContain(503);
  expect((await Promise.all(claims)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

import postgres from 'postgres';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeApp } from '../../support/app.ts';
import { expectWholeClaim } from '../../support/claims.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabaseWith } from '../../support/database.ts';
import { follow } from '../../support/events.ts';
import { expectWholeJobs } from '../../support/pooled-jobs.ts';
import { makePooler, SETTINGS } from '../../support/pooler.ts';

/** test/slow/service/claims/pgbouncer.test.ts has more jobs, and transaction mode. */
const JOBS = 4;
/** This timeout is short, so that the tests do not take long. */
const LOCK_TIMEOUT_MS = 300;

describe('PgBouncer in session mode', { tags: ['pgbouncer'] }, () => {
  test('does not make the service oversell a job, although PgBouncer drops the isolation level of the session', () =>
    expectWholeJobs(JOBS));

  describe('with one server', () => {
    let databaseUrl: string;
    let sql: postgres.Sql;
    let server: Awaited<ReturnType<typeof makeApp>>;
    beforeAll(async () => {
      databaseUrl = await makeDatabaseWith('DateStyle', 'SQL, DMY');
      const url = await makePooler(databaseUrl, { mode: 'session', dropped: SETTINGS });
      server = await makeApp({ url, lockTimeoutMs: LOCK_TIMEOUT_MS });
      sql = postgres(databaseUrl, { max: 1 });
      atEnd(() => sql.end());
    });

    const keyed = (key: string) => ({ 'Idempotency-Key': key });

    test('answers `busy` if another session keeps the lock of the job for long', async () => {
      const { call } = server;
      const { body } = await call('POST', '/jobs/1/claims', { recruiterId: 1, leaseSeconds: 900 });
      const path = `/claims/${body.claim.id}`;
      const answers = await sql.begin(async (tx) => {
        await tx`SELECT FROM jobs WHERE id = 1 FOR UPDATE`;
        // The holder releases the job's lock only after these requests have their answers.
        return Promise.all([
          call('POST', '/jobs/1/claims', { recruiterId: 2 }),
          call('POST', '/jobs/1/claims', { recruiterId: 3 }, keyed('claim')),
          call('POST', `${path}/renew`, { leaseSeconds: 900 }),
          call('DELETE', path),
          call('DELETE', path, undefined, keyed('release')),
        ]);
      });
      const told = answers.map(({ status, body: { code } }) => `${status} ${code}`);
      expect(told).toEqual(Array(answers.length).fill('503 busy'));
      const [row] = await sql`SELECT count(*)::int AS claims FROM job_claims WHERE job_id = 1`;
      expect(row).toEqual({ claims: 1 });
    });

    test('answers `key-in-use` while another session uses the same idempotency key', async () => {
      const { call } = server;
      const ask = () => call('POST', '/jobs/2/claims', { recruiterId: 1 }, keyed('held'));
      const { status, body } = await sql.begin(async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtextextended('admin:anybody held', 0))`;
        return ask();
      });
      expect([status, body.code]).toEqual([409, 'key-in-use']);
      expect((await ask()).status).toBe(201);
    });

    test('serves claims, renewals, releases and idempotency keys, and its times are exact', async () => {
      await expectWholeClaim(server.call, databaseUrl);
    });

    test('sends followers an event about a claim', async () => {
      const { app, call } = server;
      const following = await follow((init) => app.request('/jobs/events', init));
      await following.isComplete();
      await call('POST', '/jobs/4/claims', { recruiterId: 1 });
      const told = () => expect(following.latest().get(4)?.data).toMatchObject({ claimed: 1 });
      await vi.waitFor(told, { timeout: 20_000 });
    });
  });
});

describe('PgBouncer with its default settings', { tags: ['pgbouncer'] }, () => {
  test('serves claims', async () => {
    const databaseUrl = await makeDatabaseWith('default_transaction_isolation', 'repeatable read');
    const { claim } = await makeApp({ url: await makePooler(databaseUrl, { mode: 'session' }) });
    expect((await claim(1, 1)).status).toBe(200);
  });
});

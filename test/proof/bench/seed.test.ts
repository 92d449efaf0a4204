import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectClaims, figuresOf } from '../../../proof/bench/check.ts';
import { clearClaims, clearFreeJobs, seed, setEvents } from '../../../proof/bench/seed.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../../src/platform/postgres/embedded.ts';
import { claimJob } from '../../../src/service/claims/claim.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';

const rows = { fullJobs: 20, freeJobs: 5 };
// This file starts its own server, since the account must be a superuser.
let server: EmbeddedPostgres;
let sql: postgres.Sql;
beforeAll(async () => {
  server = await startEmbedded();
  await prepareDatabase(server.url);
  await seed(server.url, rows);
  sql = postgres(server.url, { max: 1 });
});
afterAll(async () => {
  await sql.end();
  await server.stop();
});

test('each full job has four claims of real recruiters, and a free job has none', async () => {
  const jobs = await sql`
    SELECT jobs.id::int, capacity, count(DISTINCT recruiters.id)::int AS claims
    FROM jobs LEFT JOIN job_claims ON job_id = jobs.id LEFT JOIN recruiters ON recruiters.id = recruiter_id
    GROUP BY jobs.id ORDER BY jobs.id`;
  expect(jobs.map(({ id, claims, capacity }) => [id, claims, capacity])).toEqual(
    Array.from({ length: 25 }, (_, index) => [index + 1, index < 20 ? 4 : 0, 4]),
  );
});

test('the claims of free jobs can be removed alone, or together with all other claims', async () => {
  await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (21, 1), (25, 7)`;
  await expect(expectClaims('all', server.url, 80)).rejects.toThrow(
    'all: 80 claims were acknowledged, but 82 are in the table.',
  );
  await clearFreeJobs(server.url, rows);
  await expectClaims('the full ones', server.url, 80);
  await clearClaims(server.url);
  await expectClaims('none', server.url, 0);
});

test('neither the service nor plain SQL appends an event while events are off', async () => {
  await clearClaims(server.url);
  const { db, close } = connect(server.url);
  const claimBoth = async (first: bigint, second: number) => {
    const { kind } = await claimJob(db, { jobId: first, recruiterId: 1n });
    expect(kind).toBe('claimed');
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${second}, 1)`;
  };
  await setEvents(server.url, false);
  await claimBoth(22n, 23);
  await setEvents(server.url, true);
  await claimBoth(24n, 25);
  await close();
  const appended = await sql`SELECT job_id::int AS job FROM events`;
  expect(appended).toEqual([{ job: 24 }, { job: 25 }]);
});

test('the bench refuses an account that is not a superuser, and gives this reason', async () => {
  await sql`CREATE ROLE ordinary LOGIN PASSWORD 'ordinary'`;
  const url = new URL(server.url);
  url.username = 'ordinary';
  url.password = 'ordinary';
  await expect(seed(url.href, rows)).rejects.toThrow('must be a superuser for the bench');
});

describe('the report of the answers', () => {
  const heard = (statuses: Record<string, number>) => ({ statuses, perSecond: 1, p50: 2, p99: 3 });

  test('gives figures if at most 1 % of the answers have an unexpected status', () => {
    const figures = { perSecond: 1, p50: 2, p99: 3 };
    expect(figuresOf('claims', heard({ 200: 99, 503: 1 }), 200)).toEqual(figures);
  });

  test('gives an error with all statuses if more answers have an unexpected status', () => {
    const answers = heard({ 200: 98, 503: 2 });
    expect(() => figuresOf('claims', answers, 200)).toThrow(
      'claims: almost all answers must be 200, but were {"200":98,"503":2}.',
    );
  });
});

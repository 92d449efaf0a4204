import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { race } from '../../src/lab/race/race.ts';
import type { Service } from '../../src/service/service.ts';
import { makeService } from '../support/app.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';

let service: Service;
let other: Service;
let sql: postgres.Sql;

beforeAll(async () => {
  const databaseUrl = await makeDatabase();
  service = await makeService(databaseUrl);
  other = await makeService(databaseUrl);
  sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
});

const never = new AbortController().signal;

async function makeJob(capacity: number): Promise<number> {
  const [row] = await sql`
    INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'Race', ${capacity}) RETURNING id::int`;
  return row?.id;
}

async function claimStatus({ url }: Service, jobId: number, recruiterId: number): Promise<number> {
  const response = await fetch(`${url}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`);
  await response.text();
  return response.status;
}

const statusCounts = (statuses: number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].map((each) => [each, statuses.filter((s) => s === each).length]),
  );

// If `.for('update')` is removed from claims/slots.ts, this test fails in its first round.
test('four of fifty recruiters who claim at once on two servers get the job, ten times in a row', async () => {
  for (let round = 0; round < 10; round++) {
    const jobId = await makeJob(4);
    const claims = Array.from({ length: 50 }, (_, n) =>
      claimStatus(n % 2 ? service : other, jobId, n + 1),
    );
    expect(statusCounts(await Promise.all(claims))).toEqual({ 200: 4, 403: 46 });
    const [row] = await sql`SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${jobId}`;
    expect(row?.n).toBe(4);
  }
});

test('one of twenty simultaneous requests of one recruiter is granted', async () => {
  const jobId = await makeJob(4);
  const claims = Array.from({ length: 20 }, () => claimStatus(service, jobId, 1));
  expect(statusCounts(await Promise.all(claims))).toEqual({ 200: 1, 409: 19 });
});

test('the naive and the transaction strategy oversell, and row-lock does not', async () => {
  const order = { sessions: 12, capacity: 4, rounds: 10 };
  const run = (name: string, promise: 'capacity' | 'nothing') =>
    race(service.url, { chapter: 'claims', name, promise }, order, () => undefined, never);
  for (const name of ['naive', 'transaction']) {
    const result = await run(name, 'nothing');
    expect(result.faults.oversold).toBeGreaterThan(5);
    expect(result.statuses['200']).toBeGreaterThan(40);
  }
  expect(await run('row-lock', 'capacity')).toEqual({
    chapter: 'claims',
    strategy: 'row-lock',
    promise: 'capacity',
    faults: {},
    worst: 4,
    statuses: { 200: 40, 403: 80 },
  });
});

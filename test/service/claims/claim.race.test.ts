import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import type { Service } from '../../../src/service/program/service.ts';
import { makeService } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

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
test('fifty recruiters claim a job with four slots at the same time on two servers, and exactly four get it, ten times in a row', async () => {
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

test('a recruiter who sends the same claim twenty times at the same time gets one slot', async () => {
  const jobId = await makeJob(4);
  const claims = Array.from({ length: 20 }, () => claimStatus(service, jobId, 1));
  expect(statusCounts(await Promise.all(claims))).toEqual({ 200: 1, 409: 19 });
});

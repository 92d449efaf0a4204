import postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { audit, onDatabase } from '../../../proof/faults/audit.ts';
import { Ledger } from '../../../proof/faults/ledger.ts';
import { Load } from '../../../proof/faults/load.ts';
import { openRelay } from '../../../proof/faults/relay.ts';
import { makeService } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let databaseUrl: string;
let sql: postgres.Sql;
let ledger: Ledger;
beforeEach(async () => {
  databaseUrl = await makeDatabase();
  const { url } = await makeService(databaseUrl);
  sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end({ timeout: 1 }));
  ledger = new Ledger();
  const load = new Load({ urls: [url], ledger, now: Date.now });
  for (const recruiterId of ['1', '2', '3', '4', '5'])
    await load.settle({ kind: 'claim', jobId: '1', recruiterId }, { keyed: true });
  await load.settle({ kind: 'claim', jobId: '2', recruiterId: '1' }, { keyed: false, byGet: true });
  expect(load.counts).toEqual({ requests: 6, answers: { 200: 1, 201: 4, '403 job-full': 1 } });
});

async function found() {
  await audit(sql, ledger);
  return ledger.findings.map(({ promise, what }) => `${promise}: ${what}`);
}

test('the audit finds nothing if every promise was kept', async () => {
  expect(await found()).toEqual([]);
});

describe('the audit finds', () => {
  test('a granted claim that is gone', async () => {
    await sql`DELETE FROM job_claims WHERE job_id = 2`;
    expect(await found()).toEqual([
      expect.stringMatching(
        /^acknowledged changes are kept: recruiter 1 of job 2 holds claim \d+, and the/,
      ),
    ]);
  });

  test('a claim that no request has made', async () => {
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (3, 9)`;
    expect(await found()).toEqual([
      expect.stringMatching(
        /^only requested changes are made: the table has claim \d+ of recruiter 9/,
      ),
    ]);
  });

  test('a claim that has replaced a granted claim of the same recruiter', async () => {
    await sql`DELETE FROM job_claims WHERE job_id = 2`;
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (2, 1)`;
    expect(await found()).toEqual([
      expect.stringMatching(/^only requested changes are made: .+job 2/),
    ]);
  });

  test('a job with more holders than slots', async () => {
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 5)`;
    expect(await found()).toEqual([
      expect.stringMatching(
        /^only requested changes are made: the table has claim \d+ of recruiter 5/,
      ),
      'capacity: job 1 has 5 claims for 4 slots',
    ]);
  });

  test('a key without an answer, a key with a wrong answer, and a missing key', async () => {
    const [first, second, third] = await sql`SELECT key FROM idempotency_keys ORDER BY key`;
    await sql`ALTER TABLE idempotency_keys ALTER status DROP NOT NULL`;
    await sql`UPDATE idempotency_keys SET status = NULL WHERE key = ${first?.key}`;
    await sql`UPDATE idempotency_keys SET body = 'other' WHERE key = ${second?.key}`;
    await sql`DELETE FROM idempotency_keys WHERE key = ${third?.key}`;
    const findings = await found();
    expect(findings).toHaveLength(4);
    expect(findings[0]).toBe(`each key has one answer: ${first?.key} is stored unanswered`);
    for (const each of findings.slice(1))
      expect(each).toMatch(/^acknowledged changes are kept: .+stored$/);
  });
});

test('a query fails after a time limit if its server freezes', async () => {
  const relay = await openRelay(databaseUrl);
  atEnd(() => relay.cut());
  const query = onDatabase(
    relay.url,
    async (frozen) => {
      await frozen`SELECT 1`;
      relay.freeze(true);
      await frozen`SELECT 1`;
    },
    500,
  );
  await expect(query).rejects.toThrow('Cannot use PostgreSQL at 127.0.0.1:');
});

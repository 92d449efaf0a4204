import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { claimedOfJob, isOpen } from '../../../src/service/claims/reads.ts';
import { isSlotFree, slotsOf } from '../../../src/service/claims/rules.ts';
import { jobs } from '../../../src/service/database/schema.ts';
import { findJobs } from '../../../src/service/jobs/queries.ts';
import { makeDatabase } from '../../support/database.ts';

test('a session prepares only one statement to read jobs, for any number of ids', async () => {
  const { db, close } = connect(await makeDatabase(), { connections: 1 });
  onTestFinished(close);
  expect(await findJobs(db, [])).toEqual([]);
  for (const ids of [[1n], [2n, 3n], [5n, 4n, 24n], [9n, 9n, 10_000n]]) {
    const found = (await findJobs(db, ids)).map(({ id }) => id);
    const there = [...new Set(ids)].filter((id) => id <= 24n).sort((a, b) => Number(a - b));
    expect(found).toEqual(there);
  }
  const prepared = await db.execute(sql`SELECT statement FROM pg_prepared_statements`);
  expect(prepared.filter(({ statement }) => /from "jobs"/.test(String(statement)))).toHaveLength(1);
});

test('the SQL condition `isOpen` is true exactly for the jobs for which the rule `isSlotFree` is true', async () => {
  const { db, close } = connect(await makeDatabase());
  onTestFinished(close);
  await db.execute(sql`UPDATE jobs SET capacity = 2`);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id)
    SELECT job, recruiter FROM generate_series(1, 4) AS job, generate_series(1, job - 1) AS recruiter`);
  const rows = await db
    .select({ id: jobs.id, capacity: jobs.capacity, claimed: claimedOfJob, isOpen })
    .from(jobs);
  for (const { capacity, claimed, isOpen } of rows)
    expect(isOpen).toBe(isSlotFree(slotsOf(capacity, claimed)));
  const full = rows.filter(({ isOpen }) => !isOpen).map(({ id }) => Number(id));
  expect(full.sort()).toEqual([3, 4]);
});

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { ClaimQueue } from '../../../src/service/claims/batching/claim-queue.ts';
import { QUEUE_LIMITS } from '../../../src/service/claims/limits.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

/** The number of executions after which PostgreSQL may keep a plan for any values. */
const PLANNED_EACH_TIME = 5;

async function makeClaims() {
  const { db, close } = connect(await makeDatabase(), { connections: 1 });
  atEnd(close);
  const queue = new ClaimQueue(db, QUEUE_LIMITS, () => undefined);
  const claimEach = async (recruiterIds: number[], jobId: bigint) => {
    for (const recruiterId of recruiterIds)
      expect(await queue.claim({ jobId, recruiterId: BigInt(recruiterId) })).toMatchObject({
        kind: 'claimed',
      });
  };
  /** Returns how often PostgreSQL planned each statement of a claim, and how often it did not. */
  const plans = () =>
    db.execute<{ planned: number; kept: number }>(sql`
      SELECT custom_plans::int AS planned, generic_plans::int AS kept FROM pg_prepared_statements
      WHERE statement ~ 'for update|for key share|insert into "job_claims"' ORDER BY prepare_time`);
  const newJob = async (id: number) => {
    await db.execute(sql`INSERT INTO jobs (id, company_id, role, capacity)
      VALUES (${id}, 1, 'A job', 20)`);
    return BigInt(id);
  };
  return { claimEach, plans, newJob };
}

test('PostgreSQL keeps the plans of a claim, and plans anew when the tables have grown fourfold', async () => {
  const { claimEach, plans, newJob } = await makeClaims();
  const job = await newJob(1_000_000);
  // The first claim tells us the largest id.
  await claimEach([1], job);
  const grown = (await plans()).length;
  await claimEach([2, 3, 4, 5, 6, 7, 8, 9], job);
  const kept = (await plans()).slice(-2);
  expect(kept).toEqual(kept.map(() => ({ planned: PLANNED_EACH_TIME, kept: 3 })));
  await claimEach([1, 2], await newJob(10_000_000));
  expect((await plans()).length).toBeGreaterThan(grown + 2);
});

import { and, eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { type ClaimRequest, type Decision, decide } from '../../../service/claims/rules.ts';
import { jobClaims, jobs } from '../../../service/database/schema.ts';

/**
 * Decides about a claim by one SELECT without a lock. The SELECT reads the job's capacity and
 * claims in one snapshot.
 */
export async function countClaims(
  db: Database | Transaction,
  { jobId, recruiterId }: ClaimRequest,
): Promise<Decision | { kind: 'no-such-job' }> {
  const claimsOfJob = eq(jobClaims.jobId, jobs.id);
  const mine = and(claimsOfJob, eq(jobClaims.recruiterId, recruiterId));
  const [job] = await db
    .select({
      capacity: jobs.capacity,
      claimed: db.$count(jobClaims, claimsOfJob).as('claimed'),
      held: sql<boolean>`exists (select from ${jobClaims} where ${mine})`.as('held'),
    })
    .from(jobs)
    .where(eq(jobs.id, jobId));
  return job ? decide(job, job) : { kind: 'no-such-job' };
}

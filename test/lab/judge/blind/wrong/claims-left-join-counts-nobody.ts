import { sql } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: `count(*)` over a LEFT JOIN counts 1 for a job without claims. So a job with one slot is
 * full before anybody has claimed it.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  return db.transaction(async (tx) => {
    await tx.execute(sql`select id from jobs where id = ${jobId} for update`);
    const [job] = await tx.execute<{ capacity: number; claimed: number; held: boolean }>(sql`
      select jobs.capacity, count(*)::int as claimed,
        coalesce(bool_or(job_claims.recruiter_id = ${recruiterId}), false) as held
      from jobs left join job_claims on job_claims.job_id = jobs.id
      where jobs.id = ${jobId}
      group by jobs.id`);
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, job);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

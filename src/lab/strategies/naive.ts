import { eq } from 'drizzle-orm';
import { insertClaim } from '../../claims/insert-claim.ts';
import { decide } from '../../claims/rules.ts';
import { jobClaims, jobs } from '../../db/schema.ts';
import type { Strategy } from '../strategy.ts';

/**
 * Counting first and inserting after is right only while nobody else inserts in between.
 * Witness: T1 counts 3, T2 counts 3, T1 inserts the fourth claim, T2 inserts the fifth.
 */
export const naive: Strategy = {
  name: 'naive',
  idea: 'count, then insert: two may count the same',
  promise: 'nothing',
  async claim(db, { jobId, recruiterId }) {
    const rows = await db
      .select({ job: jobs, claim: jobClaims })
      .from(jobs)
      .leftJoin(jobClaims, eq(jobClaims.jobId, jobs.id))
      .where(eq(jobs.id, jobId));
    const job = rows[0]?.job;
    if (!job) return { kind: 'no-such-job' };
    const holders = rows.map((row) => row.claim).filter((claim) => claim !== null);

    const decision = decide(job, holders, recruiterId);
    if (decision.kind !== 'granted') return decision;

    const claim = await insertClaim(db, { jobId, recruiterId });
    return { kind: 'claimed', claim, slots: decision.slots };
  },
};

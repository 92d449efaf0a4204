import { eq } from 'drizzle-orm';
import { insertClaim } from '../../claims/insert-claim.ts';
import { decide } from '../../claims/rules.ts';
import { jobClaims, jobs } from '../../db/schema.ts';
import type { Strategy } from '../strategy.ts';

/**
 * A transaction alone does not help: under READ COMMITTED each one counts only what was committed
 * before, and nothing makes the other wait.
 * Witness: T1 counts 3, T2 counts 3, T1 inserts, T2 inserts, both commit.
 */
export const transaction: Strategy = {
  name: 'transaction',
  idea: 'the same between BEGIN and COMMIT: nobody waits',
  promise: 'nothing',
  claim: (db, { jobId, recruiterId }) =>
    db.transaction(async (tx) => {
      const rows = await tx
        .select({ job: jobs, claim: jobClaims })
        .from(jobs)
        .leftJoin(jobClaims, eq(jobClaims.jobId, jobs.id))
        .where(eq(jobs.id, jobId));
      const job = rows[0]?.job;
      if (!job) return { kind: 'no-such-job' };
      const holders = rows.map((row) => row.claim).filter((claim) => claim !== null);

      const decision = decide(job, holders, recruiterId);
      if (decision.kind !== 'granted') return decision;

      const claim = await insertClaim(tx, { jobId, recruiterId });
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

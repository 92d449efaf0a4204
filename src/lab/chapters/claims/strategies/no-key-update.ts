import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from '../../../../service/claims/queries.ts';
import { decide } from '../../../../service/claims/rules.ts';
import { jobs } from '../../../../service/database/schema.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * FOR NO KEY UPDATE makes other claimers wait just as FOR UPDATE does. But during this lock other
 * transactions may insert rows that refer to the job. So code that claims without the lock does not
 * wait. The lock works only if all claimers take it.
 */
export const noKeyUpdate: ClaimStrategy = {
  name: 'no-key-update',
  idea: 'a weaker row lock, strong enough among claimers',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: the next claim of this job waits here until we commit or roll back.
      const [job] = await tx
        .select()
        .from(jobs)
        .where(eq(jobs.id, request.jobId))
        .for('no key update');
      if (!job) return { kind: 'no-such-job' };
      const decision = decide(job, await readHolders(tx, request));
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

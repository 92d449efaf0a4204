import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from '../../../../claims/queries.ts';
import { decide } from '../../../../claims/rules.ts';
import { jobs } from '../../../../db/schema.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * FOR NO KEY UPDATE makes other claimers wait just as FOR UPDATE does. But it lets others insert rows
 * that refer to the job. So code that claims without this lock does not wait. Nothing but the discipline
 * of all claimers keeps such code out.
 */
export const noKeyUpdate: ClaimStrategy = {
  name: 'no-key-update',
  idea: 'a weaker row lock, strong enough among claimers',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: whoever claims this job next waits here until we commit or roll back.
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

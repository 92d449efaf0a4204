import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from '../../../../service/claims/queries.ts';
import { decide } from '../../../../service/claims/rules.ts';
import { jobs } from '../../../../service/database/schema.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: FOR SHARE keeps other transactions from changing the job's row. But two transactions may
 * hold this lock together, and neither of them changes the row.
 * Counterexample: S1 and S2 both lock. Both count 3. Both insert.
 */
export const shareLock: ClaimStrategy = {
  name: 'share-lock',
  idea: 'FOR SHARE: a lock that two hold together',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE GAP: two transactions may hold this lock together, and both go on to count.
      const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('share');
      if (!job) return { kind: 'no-such-job' };
      const decision = decide(job, await readHolders(tx, request));
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

import { eq } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { jobs } from '../../../../service/database/schema.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * The first claimer to lock the job's row counts and inserts alone. The next claimer waits, and
 * then also counts the committed claim of the first claimer. The count must be a separate statement
 * after the lock. Only then is the snapshot of the count newer than the wait.
 */
export const rowLock: ClaimStrategy = {
  name: 'row-lock',
  idea: 'SELECT … FOR UPDATE, then count: one at a time',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: the next claim of this job waits here until we commit or roll back.
      await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

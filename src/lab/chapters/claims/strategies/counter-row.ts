import { eq } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { slotsOf } from '../../../../service/claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * The lock may be on any row, as long as every claimer locks this row first. A counter in this row
 * makes counting unnecessary. The counter is right as long as every change of the claims changes
 * the counter too.
 */
export const counterRow: ClaimStrategy = {
  name: 'counter-row',
  idea: 'lock a row that holds the count, and keep it true',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      const ofJob = eq(counters.jobId, request.jobId);
      // THE LOCK: the next claim of this job waits here until we commit or roll back.
      const [counter] = await tx.select().from(counters).where(ofJob).for('update');
      if (!counter) return { kind: 'no-such-job' };
      if (counter.claimed >= counter.capacity) {
        const refusal = await countClaims(tx, request);
        return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
      }
      const claimed = counter.claimed + 1;
      await tx.update(counters).set({ claimed }).where(ofJob);
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, claimed) };
    }),
};

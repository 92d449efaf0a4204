import { eq } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { slotsOf } from '../../../../service/claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * A trap: the transaction reads the counter without a lock, adds one, and writes the counter. The
 * second writer waits for the first writer, and then writes its own old sum. So the first claim is
 * missing from the counter.
 * Counterexample: S1 and S2 both read 3. S1 writes 4 and commits. S2 writes 4 too.
 */
export const lostUpdate: ClaimStrategy = {
  name: 'lost-update',
  idea: 'read the counter, write it back plus one',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      const ofJob = eq(counters.jobId, request.jobId);
      // THE GAP: until we have written the counter, others read the same number.
      const [counter] = await tx.select().from(counters).where(ofJob);
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

import { eq } from 'drizzle-orm';
import { insertClaim } from '../../../../claims/queries.ts';
import { slotsOf } from '../../../../claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * A trap: reading the counter without a lock and writing it back plus one. The second writer waits
 * for the first, and then writes what it had computed before: the first one's claim is forgotten.
 * Witness: S1 and S2 both read 3, S1 writes 4 and commits, S2 writes 4 as well.
 */
export const lostUpdate: ClaimStrategy = {
  name: 'lost-update',
  idea: 'read the counter, write it back plus one',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      const ofJob = eq(counters.jobId, request.jobId);
      // THE GAP: until we have written it back, whoever reads it reads the same.
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

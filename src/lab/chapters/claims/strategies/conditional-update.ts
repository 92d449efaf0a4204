import { and, eq, lt, sql } from 'drizzle-orm';
import { insertClaim } from '../../../../claims/queries.ts';
import { slotsOf } from '../../../../claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * The check and the change are one statement about one row: an UPDATE that waited for the row looks
 * at its condition again, on the row as it is now. It is what MongoDB's findOneAndUpdate does, and
 * it works because the condition is about the very row that is locked, not about others.
 */
export const conditionalUpdate: ClaimStrategy = {
  name: 'conditional-update',
  idea: 'UPDATE … SET claimed + 1 WHERE claimed < capacity',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: who waited for it asks again whether a slot is left, on the row as it is now.
      const [counter] = await tx
        .update(counters)
        .set({ claimed: sql`${counters.claimed} + 1` })
        .where(and(eq(counters.jobId, request.jobId), lt(counters.claimed, counters.capacity)))
        .returning();
      if (!counter) {
        const refusal = await countClaims(tx, request);
        return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
      }
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, counter.claimed) };
    }),
};

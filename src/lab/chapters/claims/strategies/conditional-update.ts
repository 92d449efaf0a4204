import { and, eq, lt, sql } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { slotsOf } from '../../../../service/claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * One statement checks and changes one row. An UPDATE that waited for the row checks its condition
 * again, on the newest version of the row. The second check is right because the condition reads
 * only the locked row. MongoDB's findOneAndUpdate does the same.
 */
export const conditionalUpdate: ClaimStrategy = {
  name: 'conditional-update',
  idea: 'UPDATE … SET claimed + 1 WHERE claimed < capacity',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: an UPDATE that waited here checks again whether a slot is left.
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

import { and, eq, isNull } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { slots } from '../tables.ts';

/**
 * Each slot has a row, and each claimer takes the first free row that nobody has locked. Nobody
 * waits. This is right for a queue, where every row is as good as another. Here the strategy never
 * oversells, but may undersell. A locked slot counts as taken, even if its holder rolls back a
 * moment later.
 * Counterexample: S1 locks the last slot. S2 skips this slot and is told that the job is full. S1
 * rolls back.
 */
export const skipLocked: ClaimStrategy = {
  name: 'skip-locked',
  idea: 'take a free slot row that nobody has locked',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const { jobId, recruiterId } = request;
      // THE GAP: a locked slot counts as taken, even if its holder rolls back.
      const [free] = await tx
        .select({ slot: slots.slot })
        .from(slots)
        .where(and(eq(slots.jobId, jobId), isNull(slots.recruiterId)))
        .orderBy(slots.slot)
        .limit(1)
        .for('update', { skipLocked: true });
      if (!free) return { kind: 'full', slots: { ...decision.slots, remaining: 0 } };
      await tx
        .update(slots)
        .set({ recruiterId })
        .where(and(eq(slots.jobId, jobId), eq(slots.slot, free.slot)));
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

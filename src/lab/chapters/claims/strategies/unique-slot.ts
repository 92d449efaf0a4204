import { eq } from 'drizzle-orm';
import { insertClaim } from '../../../../claims/queries.ts';
import { databaseError, SQLSTATE } from '../../../../db/sqlstate.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { takenSlots } from '../tables.ts';

/**
 * Claims are numbered from 1 to the capacity, and a primary key lets each number be taken once. So the
 * index does the work of the lock. If two choose the same number, one waits for the commit of the
 * other, fails, and looks again.
 */
export const uniqueSlot: ClaimStrategy = {
  name: 'unique-slot',
  idea: 'numbered slots, and a unique key on (job, slot)',
  promise: 'capacity',
  claim: (db, request) =>
    retryOn(isTaken, () =>
      db.transaction(async (tx) => {
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const { jobId, recruiterId } = request;
        const taken = await tx
          .select({ slot: takenSlots.slot })
          .from(takenSlots)
          .where(eq(takenSlots.jobId, jobId));
        const slot = firstFree(taken.map((row) => row.slot));
        if (slot > decision.slots.capacity) return { kind: 'full', slots: decision.slots };
        // THE KEY: whoever takes the same number waits here until we commit, and fails.
        await tx.insert(takenSlots).values({ jobId, recruiterId, slot });
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      }),
    ),
};

function firstFree(taken: number[]): number {
  let slot = 1;
  while (taken.includes(slot)) slot++;
  return slot;
}

function isTaken(error: unknown): boolean {
  const { code, constraint } = databaseError(error) ?? {};
  return code === SQLSTATE.uniqueViolation && constraint === 'taken_slots_job_id_slot_pk';
}

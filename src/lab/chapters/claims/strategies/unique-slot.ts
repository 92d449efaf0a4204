import { eq } from 'drizzle-orm';
import { databaseError, SQLSTATE } from '../../../../platform/db/sqlstate.ts';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { takenSlots } from '../tables.ts';

/**
 * Each claim takes a number from 1 to the capacity. A primary key makes sure that each number is
 * taken only once, so the index works like a lock. If two claims choose the same number, the second
 * claim waits for the commit of the first, fails, and tries again.
 */
export const uniqueSlot: ClaimStrategy = {
  name: 'unique-slot',
  idea: 'numbered slots, and a unique key on (job, slot)',
  promise: 'capacity',
  claim: (db, request) =>
    retryOn(isTaken, () =>
      db.transaction(async (tx) => {
        const { jobId, recruiterId } = request;
        // We read the numbers before the capacity. If somebody adds a slot and claims in between, our
        // number is taken, so we try again. In the other order, the job would look full.
        const taken = await tx
          .select({ slot: takenSlots.slot })
          .from(takenSlots)
          .where(eq(takenSlots.jobId, jobId));
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const slot = firstFree(taken.map((row) => row.slot));
        if (slot > decision.slots.capacity) return { kind: 'full', slots: decision.slots };
        // THE KEY: another claim with this number waits here until we commit, and then fails.
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

import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { takenSlots } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: each unique violation is answered as a duplicate. But the key of the slots is violated too
 * if two recruiters choose the same slot, and then the second recruiter holds nothing.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  try {
    return await db.transaction(async (tx): Promise<Outcome> => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const rows = await tx
        .select({ slot: takenSlots.slot })
        .from(takenSlots)
        .where(eq(takenSlots.jobId, jobId));
      const taken = new Set(rows.map((row) => row.slot));
      let slot = 1;
      while (taken.has(slot)) slot++;
      if (slot > decision.slots.capacity) return { kind: 'full', slots: decision.slots };
      await tx.insert(takenSlots).values({ jobId, recruiterId, slot });
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    });
  } catch (error) {
    if (databaseError(error)?.code === SQLSTATE.uniqueViolation) return { kind: 'duplicate' };
    throw error;
  }
}

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import { takenSlots } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

function isTaken(error: unknown): boolean {
  const { code, constraint } = databaseError(error) ?? {};
  return code === SQLSTATE.uniqueViolation && constraint === 'taken_slots_job_id_slot_pk';
}

/**
 * Wrong: the number of the new slot is the number of claims plus one. After the release of an earlier
 * slot, this number is taken, so the free slot is never claimed again.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  return retryOn(isTaken, () =>
    db.transaction(async (tx) => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const slot = decision.slots.claimed;
      await tx.insert(takenSlots).values({ jobId, recruiterId, slot });
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );
}

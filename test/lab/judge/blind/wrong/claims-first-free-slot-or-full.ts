import { and, asc, eq, isNull } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { slots } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: it chooses the first free slot, and the UPDATE checks again that this slot is free. If
 * somebody was faster, it says that the job is full, although other slots may be free.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  return db.transaction(async (tx) => {
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const first = tx
      .select({ slot: slots.slot })
      .from(slots)
      .where(and(eq(slots.jobId, jobId), isNull(slots.recruiterId)))
      .orderBy(asc(slots.slot))
      .limit(1);
    const [taken] = await tx
      .update(slots)
      .set({ recruiterId })
      .where(and(eq(slots.jobId, jobId), eq(slots.slot, first), isNull(slots.recruiterId)))
      .returning({ slot: slots.slot });
    if (!taken) return { kind: 'full', slots: { ...decision.slots, remaining: 0 } };
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

import { and, eq, lte, sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';

/** Wrong: the conditional update asks for `claimed <= capacity` in place of `claimed < capacity`. */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [counter] = await tx
      .update(counters)
      .set({ claimed: sql`${counters.claimed} + 1` })
      .where(and(eq(counters.jobId, request.jobId), lte(counters.claimed, counters.capacity)))
      .returning();
    if (!counter) {
      const refusal = await countClaims(tx, request);
      return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
    }
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, counter.claimed) };
  });
}

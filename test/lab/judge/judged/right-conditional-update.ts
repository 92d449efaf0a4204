import { and, eq, lt, sql } from 'drizzle-orm';
import { insertClaim } from 'rowlock/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';

/** Right: the check and the change are one statement about one row. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [counter] = await tx
      .update(counters)
      .set({ claimed: sql`${counters.claimed} + 1` })
      .where(and(eq(counters.jobId, request.jobId), lt(counters.claimed, counters.capacity)))
      .returning();
    if (!counter) return { kind: 'full', slots: slotsOf(0, 0) };
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, counter.claimed) };
  });

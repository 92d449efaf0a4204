import { and, eq, lt, sql } from 'drizzle-orm';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';

/** Right: the check and the change are one statement about one row. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [counter] = await tx
      .update(counters)
      .set({ claimed: sql`${counters.claimed} + 1` })
      .where(and(eq(counters.jobId, request.jobId), lt(counters.claimed, counters.capacity)))
      .returning();
    if (!counter) {
      const [full] = await tx.select().from(counters).where(eq(counters.jobId, request.jobId));
      if (!full) return { kind: 'no-such-job' };
      return { kind: 'full', slots: slotsOf(full.capacity, full.claimed) };
    }
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, counter.claimed) };
  });

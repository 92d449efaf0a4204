import { and, eq, isNull } from 'drizzle-orm';
import { slots } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';

/** Wrong: a locked slot counts as taken, even if its holder rolls back. Undersells. */
export default (db: Database, { jobId, recruiterId }: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [free] = await tx
      .select({ slot: slots.slot })
      .from(slots)
      .where(and(eq(slots.jobId, jobId), isNull(slots.recruiterId)))
      .limit(1)
      .for('update', { skipLocked: true });
    if (!free) return { kind: 'full', slots: slotsOf(0, 0) };
    const slot = and(eq(slots.jobId, jobId), eq(slots.slot, free.slot));
    await tx.update(slots).set({ recruiterId }).where(slot);
    const claim = await insertClaim(tx, { jobId, recruiterId });
    return { kind: 'claimed', claim, slots: slotsOf(0, 0) };
  });

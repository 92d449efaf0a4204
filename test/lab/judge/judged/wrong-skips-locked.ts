import { and, eq, isNull } from 'drizzle-orm';
import { insertClaim } from 'rowlock/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { slots } from 'rowlock/lab/chapters/claims/tables.ts';

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

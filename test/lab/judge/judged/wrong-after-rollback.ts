import { eq, sql } from 'drizzle-orm';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: after an error it subtracts its claim from the counter, but the rollback has already done
 * this. Oversells only if a transaction rolls back.
 */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const ofJob = eq(counters.jobId, request.jobId);
  try {
    return await db.transaction(async (tx) => {
      const [counter] = await tx.select().from(counters).where(ofJob).for('update');
      if (!counter) return { kind: 'no-such-job' };
      if (counter.claimed >= counter.capacity) return { kind: 'full', slots: slotsOf(0, 0) };
      await tx
        .update(counters)
        .set({ claimed: counter.claimed + 1 })
        .where(ofJob);
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: slotsOf(counter.capacity, counter.claimed + 1) };
    });
  } catch (error) {
    await db
      .update(counters)
      .set({ claimed: sql`${counters.claimed} - 1` })
      .where(ofJob);
    throw error;
  }
};

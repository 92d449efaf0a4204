import { and, asc, eq, isNull } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { slots } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { HELD_ONCE } from 'rowlock/service/database/schema.ts';

const MOST_TRIES = 10;

/**
 * Right: each slot is a row. FOR UPDATE waits for a slot that somebody is taking. If the other
 * claim commits, PostgreSQL goes on to the next free row, as LIMIT counts only locked rows.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  try {
    return await db.transaction(async (tx): Promise<Outcome> => {
      for (let tries = 1; tries <= MOST_TRIES; tries++) {
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const [free] = await tx
          .select({ slot: slots.slot })
          .from(slots)
          .where(and(eq(slots.jobId, jobId), isNull(slots.recruiterId)))
          .orderBy(asc(slots.slot))
          .limit(1)
          .for('update');
        // Somebody was faster. A slot may have become free meanwhile, so we look again.
        if (!free) continue;
        await tx
          .update(slots)
          .set({ recruiterId })
          .where(and(eq(slots.jobId, jobId), eq(slots.slot, free.slot)));
        const claim = await insertClaim(tx, request);
        // Other claims may have been committed while we waited.
        const after = await countClaims(tx, request);
        return { kind: 'claimed', claim, slots: 'slots' in after ? after.slots : decision.slots };
      }
      return { kind: 'busy' };
    });
  } catch (error) {
    const { code, constraint } = databaseError(error) ?? {};
    if (code === SQLSTATE.uniqueViolation && constraint === HELD_ONCE) return { kind: 'duplicate' };
    throw error;
  }
}

import { and, eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: the version is in the WHERE clause, but nobody checks whether the UPDATE has changed a
 * row.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const ofJob = eq(counters.jobId, request.jobId);
    const [read] = await tx.select({ version: counters.version }).from(counters).where(ofJob);
    const decision = await countClaims(tx, request);
    if (!read || decision.kind === 'no-such-job') return { kind: 'no-such-job' };
    if (decision.kind !== 'granted') return decision;
    await tx
      .update(counters)
      .set({ version: read.version + 1 })
      .where(and(ofJob, eq(counters.version, read.version)));
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it locks only if the last slot is at stake. If two slots are free, three recruiters may all
 * see two free slots, and all insert without the lock.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const before = await countClaims(db, request);
  if (before.kind !== 'granted') return before;
  if (before.slots.remaining > 0) {
    const claim = await insertClaim(db, request);
    return { kind: 'claimed', claim, slots: before.slots };
  }
  return db.transaction(async (tx) => {
    await tx.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/** The lock comes first. Everything that decides comes after the lock. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const inserted = await insertClaim(tx, request);
    return { kind: 'claimed', claim: inserted, slots: decision.slots };
  });
}

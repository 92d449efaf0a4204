import { eq } from 'drizzle-orm';
import { insertClaim } from 'rowlock/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { jobs } from 'rowlock/db/schema.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

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

import { eq } from 'drizzle-orm';
import { insertClaim } from 'rowlock/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { jobs } from 'rowlock/db/schema.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

/** A colleague wrote this: "It locks the row, so it is safe." Is it? */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;

  return db.transaction(async (tx) => {
    await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    const inserted = await insertClaim(tx, request);
    return { kind: 'claimed', claim: inserted, slots: decision.slots };
  });
}

import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it ignores `leaseSeconds`. The recruiter asks for a claim that ends by itself, and gets a
 * claim that holds the slot for ever.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId, recruiterId } = request;
  return db.transaction(async (tx) => {
    await tx.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, jobId)).for('update');
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const [claim] = await tx.insert(jobClaims).values({ jobId, recruiterId }).returning();
    if (!claim) throw new Error('the claim was not inserted');
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

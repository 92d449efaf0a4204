import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it reads the capacity before it waits for the lock, and the claims after the wait. If
 * somebody changes the capacity meanwhile, the claims are compared with the old capacity.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const ofJob = eq(jobs.id, request.jobId);
    const [job] = await tx.select({ capacity: jobs.capacity }).from(jobs).where(ofJob);
    if (!job) return { kind: 'no-such-job' };
    await tx.select({ id: jobs.id }).from(jobs).where(ofJob).for('update');
    const decision = decide(job, await readHolders(tx, request));
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

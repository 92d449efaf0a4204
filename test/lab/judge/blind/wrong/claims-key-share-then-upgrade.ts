import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it counts under FOR KEY SHARE, which two sessions may hold at the same time. The stronger lock comes
 * after the count, and nothing is counted again.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const ofJob = eq(jobs.id, request.jobId);
    const [job] = await tx.select().from(jobs).where(ofJob).for('key share');
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, await readHolders(tx, request));
    // Most requests are refused, and need no exclusive lock.
    if (decision.kind !== 'granted') return decision;
    await tx.select({ id: jobs.id }).from(jobs).where(ofJob).for('no key update');
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

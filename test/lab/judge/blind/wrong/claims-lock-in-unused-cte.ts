import { sql } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: the lock is in a CTE that the statement never reads. PostgreSQL does not run such a CTE,
 * so nobody waits.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [job] = await tx.execute<{ capacity: number }>(sql`
      with locked as (select id from jobs where id = ${request.jobId} for update)
      select capacity from jobs where id = ${request.jobId}`);
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, await readHolders(tx, request));
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

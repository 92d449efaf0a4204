import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: the insert goes to `db` instead of `tx`. It needs a second connection. Ten claims may hold
 * all connections, and all wait for one more. The claim also stays if its transaction is rolled back.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    await tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(eq(jobs.id, request.jobId))
      .for('no key update');
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(db, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

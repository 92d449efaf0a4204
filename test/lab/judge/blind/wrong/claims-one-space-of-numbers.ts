import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: the numbers of jobs and of recruiters are locked in the same space. If recruiter 2 claims
 * job 1 while recruiter 1 claims job 2, the two claims deadlock.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${request.jobId}::bigint)`);
    // One recruiter should not claim twice at the same time, so lock the recruiter too.
    await tx.execute(sql`select pg_advisory_xact_lock(${request.recruiterId}::bigint)`);
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

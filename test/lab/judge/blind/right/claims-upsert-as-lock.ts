import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Right: an upsert makes or locks a row of another table. Only the lock of this row matters. It works
 * even if the job has no such row yet, because the primary key makes the second insert wait.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const [locked] = await tx.execute(sql`
      insert into lab_claims.leases as lease (job_id)
      select id from jobs where id = ${request.jobId}
      on conflict (job_id) do update set token = lease.token + 1
      returning token`);
    if (!locked) return { kind: 'no-such-job' };
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

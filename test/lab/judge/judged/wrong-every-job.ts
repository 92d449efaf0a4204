import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Wrong: the lock is right, but the insert has no WHERE, so it inserts a claim for every job. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select from jobs where id = ${request.jobId} for update`);
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const [row] = await tx.execute<{ id: string }>(sql`
      insert into job_claims (job_id, recruiter_id) select id, ${request.recruiterId} from jobs
      returning id`);
    const claim = { ...request, id: BigInt(row?.id ?? 0), createdAt: new Date(), expiresAt: null };
    return { kind: 'claimed', claim, slots: decision.slots };
  });

import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database, Transaction } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** The first statement locks the job. The second statement counts its claims, and inserts. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select from jobs where id = ${request.jobId} for update`);
    const rows = await tx.execute<Row>(sql`
      insert into job_claims (job_id, recruiter_id)
      select id, ${request.recruiterId} from jobs
      where id = ${request.jobId} and (select count(*) from job_claims where job_id = ${request.jobId}) < capacity
      returning id, created_at`);
    return answer(tx, request, rows[0]);
  });

// You need not change the lines below.

type Row = { id: string; created_at: string };

async function answer(tx: Transaction, request: ClaimRequest, row?: Row): Promise<Outcome> {
  const after = await countClaims(tx, request);
  if (after.kind === 'no-such-job') return after;
  if (!row) return after.kind === 'granted' ? { kind: 'busy' } : after;
  const { jobId, recruiterId } = request;
  const createdAt = new Date(row.created_at);
  const claim = { id: BigInt(row.id), jobId, recruiterId, createdAt, expiresAt: null };
  return { kind: 'claimed', claim, slots: after.slots };
}

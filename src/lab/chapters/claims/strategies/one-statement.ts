import { sql } from 'drizzle-orm';
import { jobClaims, jobs } from '../../../../service/database/schema.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: one statement locks the job and counts its claims. The statement has one snapshot, taken
 * before it waits for the lock. So after the wait the statement still counts the claims from before
 * the wait.
 * Counterexample: S1 inserts and has not committed. S2 waits for the lock. S1 commits. S2 counts 3
 * and inserts.
 */
export const oneStatement: ClaimStrategy = {
  name: 'one-statement',
  idea: 'lock, count and insert in one statement: one old snapshot',
  promise: 'nothing',
  async claim(db, request) {
    const { jobId, recruiterId } = request;
    // THE GAP: the snapshot of the count is older than the wait for the lock.
    const inserted = await db.execute<{ id: string; created_at: string }>(sql`
      with job as (select id, capacity from ${jobs} where id = ${jobId} for update)
      insert into ${jobClaims} (job_id, recruiter_id)
      select id, ${recruiterId} from job
      where (select count(*) from ${jobClaims} where job_id = ${jobId}) < capacity
      returning id, created_at`);
    const [row] = inserted;
    const after = await countClaims(db, request);
    if (!row) return after.kind === 'granted' ? { kind: 'busy' } : after;
    if (after.kind === 'no-such-job') return after;
    const createdAt = new Date(row.created_at);
    const claim = { id: BigInt(row.id), jobId, recruiterId, createdAt, expiresAt: null };
    return { kind: 'claimed', claim, slots: after.slots };
  },
};

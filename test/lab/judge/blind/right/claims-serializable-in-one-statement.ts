import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const MOST_TRIES = 20;

/**
 * Right: one statement counts and inserts without a lock. The transaction is SERIALIZABLE, so of two
 * such statements with the same count one fails, and is tried again.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return await claimOnce(db, request);
    } catch (error) {
      if (databaseError(error)?.code !== SQLSTATE.serializationFailure) throw error;
    }
  }
  return { kind: 'busy' };
}

const claimOnce = (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(
    async (tx) => {
      const { jobId, recruiterId, leaseSeconds = null } = request;
      const [row] = await tx.execute<{ id: string; created_at: string; expires_at: string | null }>(
        sql`
          insert into job_claims (job_id, recruiter_id, expires_at)
          select jobs.id, ${recruiterId}::bigint,
            statement_timestamp() + make_interval(secs => ${leaseSeconds}::double precision)
          from jobs
          where jobs.id = ${jobId}
            and jobs.capacity > (select count(*) from job_claims where job_id = jobs.id)
            and not exists (
              select from job_claims where job_id = jobs.id and recruiter_id = ${recruiterId})
          returning id, created_at, expires_at`,
      );
      // If we have inserted our claim, we count it here too.
      const after = await countClaims(tx, request);
      if (after.kind === 'granted') return { kind: 'busy' };
      if (!row || after.kind === 'no-such-job') return after;
      const claim = {
        id: BigInt(row.id),
        jobId,
        recruiterId,
        createdAt: new Date(row.created_at),
        expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
      };
      return { kind: 'claimed', claim, slots: after.slots };
    },
    { isolationLevel: 'serializable' },
  );

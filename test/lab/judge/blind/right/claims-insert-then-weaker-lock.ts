import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';
import { HELD_ONCE, jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/**
 * Right: it inserts first, then locks the job and counts, and deletes its claim if there are too many.
 * FOR NO KEY UPDATE does not wait for the locks of the foreign key, so two claims do not deadlock.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  try {
    return await db.transaction(async (tx): Promise<Outcome> => {
      const before = await countClaims(tx, request);
      if (before.kind !== 'granted') return before;
      const claim = await insertClaim(tx, request);
      const [job] = await tx
        .select()
        .from(jobs)
        .where(eq(jobs.id, request.jobId))
        .for('no key update');
      if (!job) throw new Error('a claim of a job that is not there');
      const claimed = await tx.$count(jobClaims, eq(jobClaims.jobId, request.jobId));
      if (claimed <= job.capacity)
        return { kind: 'claimed', claim, slots: slotsOf(job.capacity, claimed) };
      await tx.delete(jobClaims).where(eq(jobClaims.id, claim.id));
      return { kind: 'full', slots: slotsOf(job.capacity, claimed - 1) };
    });
  } catch (error) {
    const { code, constraint } = databaseError(error) ?? {};
    if (code === SQLSTATE.uniqueViolation && constraint === HELD_ONCE) return { kind: 'duplicate' };
    throw error;
  }
}

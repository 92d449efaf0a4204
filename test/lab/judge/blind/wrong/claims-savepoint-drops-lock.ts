import { eq, sql, TransactionRollbackError } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: it locks the job behind a savepoint, and rolls back to the savepoint to get rid of the
 * short lock timeout. The rollback also releases the lock.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    try {
      await tx.transaction(async (inner) => {
        await inner.execute(sql`set local lock_timeout = '1s'`);
        await inner
          .select({ id: jobs.id })
          .from(jobs)
          .where(eq(jobs.id, request.jobId))
          .for('update');
        // The statements below should have the usual timeout again.
        inner.rollback();
      });
    } catch (error) {
      if (!(error instanceof TransactionRollbackError)) throw error;
    }
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

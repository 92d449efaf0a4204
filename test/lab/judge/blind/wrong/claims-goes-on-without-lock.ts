import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/**
 * Wrong: if the job is locked by somebody else, the claim goes on without the lock, as if the lock
 * only saved work.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    try {
      await tx.transaction((inner) =>
        inner
          .select({ id: jobs.id })
          .from(jobs)
          .where(eq(jobs.id, request.jobId))
          .for('no key update', { noWait: true }),
      );
    } catch (error) {
      if (databaseError(error)?.code !== SQLSTATE.lockNotAvailable) throw error;
      // Do not make the recruiter wait: the count below decides anyway.
    }
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from '../../../../service/claims/queries.ts';
import { decide } from '../../../../service/claims/rules.ts';
import { jobs } from '../../../../service/database/schema.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: under REPEATABLE READ the first statement takes the snapshot before the statement waits
 * for the lock. After the wait, the transaction still counts the claims from before the wait. The
 * row lock raises no error, since nobody changed the job's row itself.
 * Counterexample: S1 locks. S2 takes its snapshot and waits. S1 inserts and commits. S2 counts 3
 * and inserts.
 */
export const staleSnapshot: ClaimStrategy = {
  name: 'stale-snapshot',
  idea: 'FOR UPDATE under REPEATABLE READ: counts the past',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(
      async (tx) => {
        const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
        if (!job) return { kind: 'no-such-job' };
        // THE GAP: the snapshot of this count is older than the wait for the lock.
        const decision = decide(job, await readHolders(tx, request));
        if (decision.kind !== 'granted') return decision;
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      },
      { isolationLevel: 'repeatable read' },
    ),
};

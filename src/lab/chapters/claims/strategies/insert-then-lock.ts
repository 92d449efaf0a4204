import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from '../../../../service/claims/queries.ts';
import { slotsOf } from '../../../../service/claims/rules.ts';
import { jobs } from '../../../../service/database/schema.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: the lock comes after the insert. The strategy never oversells. But the insert already
 * locks the job's row with a weaker lock, for the foreign key. Two sessions may hold the weaker
 * lock at the same time. Each then asks for the stronger lock, and waits for the other session.
 * Counterexample: S1 inserts. S2 inserts. S1 asks for the lock and waits for S2. S2 asks for the
 * lock and waits for S1: a deadlock.
 */
export const insertThenLock: ClaimStrategy = {
  name: 'insert-then-lock',
  idea: 'insert the claim, then lock the job: deadlocks',
  promise: 'capacity',
  async claim(db, request) {
    try {
      return await db.transaction(async (tx) => {
        const claim = await insertClaim(tx, request);
        // THE DEADLOCK: both sessions hold a weaker lock on this row, so each waits for the other.
        const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
        if (!job) return { kind: 'no-such-job' };
        const { claimed } = await readHolders(tx, request);
        if (claimed > job.capacity) throw new TooMany();
        return { kind: 'claimed', claim, slots: slotsOf(job.capacity, claimed) };
      });
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      const refusal = await countClaims(db, request);
      return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
    }
  },
};

class TooMany extends Error {}

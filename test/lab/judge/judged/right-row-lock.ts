import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from 'rowlock/claims/queries.ts';
import { decide } from 'rowlock/claims/rules.ts';
import { jobs } from 'rowlock/db/schema.ts';
import type { ClaimStrategy } from 'rowlock/lab/chapters/claims/strategy.ts';

/** Right: the lock first, the count after it. */
const strategy: ClaimStrategy = {
  name: 'my-row-lock',
  idea: 'lock, count, insert',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
      if (!job) return { kind: 'no-such-job' };
      const decision = decide(job, await readHolders(tx, request));
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

export default strategy;

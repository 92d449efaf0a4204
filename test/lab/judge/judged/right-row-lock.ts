import { eq } from 'drizzle-orm';
import type { ClaimStrategy } from 'rowlock/lab/chapters/claims/strategy.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { decide } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/** Right: locks first, and then counts. */
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

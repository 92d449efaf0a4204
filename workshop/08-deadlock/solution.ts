import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/** Takes the strong lock first. So nobody who waits for it holds a weaker lock on the job. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  try {
    return await db.transaction(async (tx) => {
      const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
      if (!job) return { kind: 'no-such-job' };
      const inserted = await insertClaim(tx, request);
      const { claimed } = await readHolders(tx, request);
      // Our own claim is in the table already.
      const decision = decide(job, { claimed: claimed - 1, held: false });
      if (decision.kind !== 'granted') throw new Refused(decision);
      return { kind: 'claimed', claim: inserted, slots: decision.slots };
    });
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

/** Rolls the transaction back, and carries the answer out of it. */
class Refused extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('refused');
    this.outcome = outcome;
  }
}

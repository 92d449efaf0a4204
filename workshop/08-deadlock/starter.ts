import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/** Inserts the claim first. Then locks the job, and counts the claims of the others. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  try {
    return await db.transaction(async (tx) => {
      const inserted = await insertClaim(tx, request);
      const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
      if (!job) return { kind: 'no-such-job' };
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

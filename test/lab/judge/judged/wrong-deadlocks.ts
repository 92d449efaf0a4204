import { eq } from 'drizzle-orm';
import { insertClaim, readHolders } from 'rowlock/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { jobs } from 'rowlock/db/schema.ts';

/** Wrong: the insert takes a weak lock on the job's row, and only then asks for the strong lock. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const claim = await insertClaim(tx, request);
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    if (!job) return { kind: 'no-such-job' };
    const { claimed } = await readHolders(tx, request);
    if (claimed > job.capacity) return tx.rollback();
    return { kind: 'claimed', claim, slots: slotsOf(job.capacity, claimed) };
  });

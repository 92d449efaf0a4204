import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim, readHolders } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

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

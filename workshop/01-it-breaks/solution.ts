import { eq } from 'drizzle-orm';
import { insertClaim } from 'rowlock/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { jobClaims, jobs } from 'rowlock/db/schema.ts';

/** A recruiter claims a slot of a job. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const [job] = await db.select().from(jobs).where(eq(jobs.id, request.jobId));
  if (!job) return { kind: 'no-such-job' };

  const claimed = await db.$count(jobClaims, eq(jobClaims.jobId, request.jobId));
  if (claimed >= job.capacity) return { kind: 'full', slots: slotsOf(job.capacity, claimed) };

  const inserted = await insertClaim(db, request);
  return { kind: 'claimed', claim: inserted, slots: slotsOf(job.capacity, claimed + 1) };
}

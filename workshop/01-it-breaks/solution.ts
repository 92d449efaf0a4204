import { eq } from 'drizzle-orm';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';
import { jobClaims, jobs } from 'rowlock/service/database/schema.ts';

/** A recruiter claims a slot of a job. */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const [job] = await db.select().from(jobs).where(eq(jobs.id, request.jobId));
  if (!job) return { kind: 'no-such-job' };

  const claimed = await db.$count(jobClaims, eq(jobClaims.jobId, request.jobId));
  if (claimed >= job.capacity) return { kind: 'full', slots: slotsOf(job.capacity, claimed) };

  const inserted = await insertClaim(db, request);
  return { kind: 'claimed', claim: inserted, slots: slotsOf(job.capacity, claimed + 1) };
}

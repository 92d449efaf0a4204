import { and, eq, lt, sql } from 'drizzle-orm';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, decide, type Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims } from 'rowlock/service/database/schema.ts';

/** Wrong: raises the counter first. A duplicate is refused, but the raised counter is committed. */
export default (db: Database, { jobId, recruiterId }: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [counted] = await tx
      .update(counters)
      .set({ claimed: sql`${counters.claimed} + 1` })
      .where(and(eq(counters.jobId, jobId), lt(counters.claimed, counters.capacity)))
      .returning();
    if (!counted) return decide({ capacity: 4 }, { claimed: 4, held: false }) as Outcome;
    const ofRecruiter = and(eq(jobClaims.jobId, jobId), eq(jobClaims.recruiterId, recruiterId));
    const [known] = await tx.select().from(jobClaims).where(ofRecruiter);
    if (known) return { kind: 'duplicate' };
    const claim = await insertClaim(tx, { jobId, recruiterId });
    const { capacity, claimed } = counted;
    return { kind: 'claimed', claim, slots: { capacity, claimed, remaining: capacity - claimed } };
  });

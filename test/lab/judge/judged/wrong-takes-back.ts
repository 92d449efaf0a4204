import { and, eq, lt } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobClaims } from 'rowlock/service/database/schema.ts';

/** Wrong: takes a claim that is too late back, but for a moment everybody sees five claims. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(db, request);
  const before = and(eq(jobClaims.jobId, request.jobId), lt(jobClaims.id, claim.id));
  if ((await db.$count(jobClaims, before)) < decision.slots.capacity)
    return { kind: 'claimed', claim, slots: decision.slots };
  await db.delete(jobClaims).where(eq(jobClaims.id, claim.id));
  return { kind: 'full', slots: decision.slots };
};

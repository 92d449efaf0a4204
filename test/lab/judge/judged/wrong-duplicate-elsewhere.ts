import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { jobClaims } from 'rowlock/service/database/schema.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: a recruiter who holds any other job cannot claim this job. */
export default underLock(async (tx, request) => {
  const mine = await tx.$count(jobClaims, eq(jobClaims.recruiterId, request.recruiterId));
  if (mine > 0) return { kind: 'duplicate' };
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots };
});

import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Wrong: it claims first, and after the commit removes the claims with the highest ids beyond the
 * capacity. Ids are not in the order of the commits, so it may remove a claim that another recruiter
 * was already promised. Until the removal, the job has too many claims.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId } = request;
  const outcome = await db.transaction(async (tx): Promise<Outcome> => {
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
  if (outcome.kind !== 'claimed') return outcome;
  const removed = await db.execute<{ id: string }>(sql`
    delete from job_claims where id in (
      select id from job_claims where job_id = ${jobId} order by id
      offset (select capacity from jobs where id = ${jobId})
    ) returning id`);
  const isMineGone = removed.some(({ id }) => BigInt(id) === outcome.claim.id);
  if (!isMineGone) return outcome;
  const refusal = await countClaims(db, request);
  return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
}

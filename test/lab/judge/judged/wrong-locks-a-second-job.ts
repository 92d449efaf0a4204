import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: locks the other jobs after its own job. Two claims of two jobs wait for each other. */
export default underLock(async (tx, request) => {
  await tx.execute(sql`select from jobs where id <> ${request.jobId} order by id for update`);
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots };
});

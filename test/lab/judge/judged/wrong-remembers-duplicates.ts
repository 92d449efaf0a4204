import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

const claimed = new Set<string>();

/** Wrong: the server remembers who has claimed, so it does not see that the claim was released. */
export default underLock(async (tx, request) => {
  const key = `${request.jobId} ${request.recruiterId}`;
  if (claimed.has(key)) return { kind: 'duplicate' };
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, request);
  claimed.add(key);
  return { kind: 'claimed', claim, slots: decision.slots };
});

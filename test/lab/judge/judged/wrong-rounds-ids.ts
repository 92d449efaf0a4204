import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: a number of JavaScript rounds an id above 2^53, so another recruiter gets the slot. */
export default underLock(async (tx, request) => {
  const rounded = { ...request, recruiterId: BigInt(Number(request.recruiterId)) };
  const decision = await countClaims(tx, rounded);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, rounded);
  return { kind: 'claimed', claim, slots: decision.slots };
});

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: no job gets more than four claims, whatever its capacity is. */
export default underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  if (decision.slots.claimed > 4) return { kind: 'full', slots: decision.slots };
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots };
});

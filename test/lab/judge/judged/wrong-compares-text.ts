import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: as texts, "9" is more than "12". So a job with twelve slots is full too early. */
export default underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  const { capacity, claimed } = decision.slots;
  if (`${claimed - 1}` >= `${capacity}`) return { kind: 'full', slots: decision.slots };
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots };
});

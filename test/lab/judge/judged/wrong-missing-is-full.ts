import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { slotsOf } from 'rowlock/service/claims/rules.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: tells a recruiter that a job is full, although there is no such job. */
export default underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind === 'no-such-job') return { kind: 'full', slots: slotsOf(0, 0) };
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots };
});

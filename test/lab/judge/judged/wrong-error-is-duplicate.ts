import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Wrong: it takes every error of the INSERT for a violation of the unique constraint. */
export default underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  try {
    // The savepoint keeps the transaction usable after an error.
    const claim = await tx.transaction((inner) => insertClaim(inner, request));
    return { kind: 'claimed', claim, slots: decision.slots };
  } catch {
    return { kind: 'duplicate' };
  }
});

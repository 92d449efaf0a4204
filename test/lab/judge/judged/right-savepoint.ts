import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { underLock } from './lib/under-lock.ts';

/** Right: it inserts behind a savepoint, and only the unique constraint means a duplicate. */
export default underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  try {
    const claim = await tx.transaction((inner) => insertClaim(inner, request));
    return { kind: 'claimed', claim, slots: decision.slots };
  } catch (error) {
    if (databaseError(error)?.code !== SQLSTATE.uniqueViolation) throw error;
    return { kind: 'duplicate' };
  }
});

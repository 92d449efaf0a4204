import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * Counts first, and then inserts. This is right only if nobody inserts between the count and the
 * insert.
 * Counterexample: S1 counts 3. S2 counts 3. S1 inserts the fourth claim. S2 inserts the fifth.
 */
export const naive: ClaimStrategy = {
  name: 'naive',
  idea: 'count, then insert: two may count the same',
  promise: 'nothing',
  claim: async (db, request) => {
    // THE GAP: until we have inserted, others count the same number.
    const decision = await countClaims(db, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(db, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  },
};

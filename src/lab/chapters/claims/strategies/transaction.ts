import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A transaction alone does not help. Under READ COMMITTED each transaction counts only committed
 * claims, and nothing makes the other transaction wait.
 * Counterexample: S1 counts 3. S2 counts 3. S1 inserts. S2 inserts. Both commit.
 */
export const transaction: ClaimStrategy = {
  name: 'transaction',
  idea: 'the same between BEGIN and COMMIT: nobody waits',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE GAP: until we have committed, others count the same number.
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

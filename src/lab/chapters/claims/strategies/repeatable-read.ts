import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A snapshot that stays the same makes the count repeatable, but not true. The two transactions
 * write different rows, so PostgreSQL finds no conflict. This is called write skew.
 * Counterexample: S1 and S2 count 3 in their snapshots. Both insert. Both commit.
 */
export const repeatableRead: ClaimStrategy = {
  name: 'repeatable-read',
  idea: 'one snapshot for all statements: write skew',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(
      async (tx) => {
        // THE GAP: neither snapshot ever shows the claim of the other transaction.
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      },
      { isolationLevel: 'repeatable read' },
    ),
};

import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: the transaction inserts first, then counts, and rolls back if there are too many claims.
 * Two transactions do not see each other's claim before the commit. So each transaction counts its
 * own claim as the last claim that fits.
 * Counterexample: S1 inserts. S2 inserts. S1 counts 4. S2 counts 4. Both commit.
 */
export const insertThenCount: ClaimStrategy = {
  name: 'insert-then-count',
  idea: 'insert first, count after, undo if too many',
  promise: 'nothing',
  async claim(db, request) {
    try {
      return await db.transaction(async (tx) => {
        const claim = await insertClaim(tx, request);
        // THE GAP: the claim of the other transaction is not committed yet, and not counted.
        const after = await countClaims(tx, request);
        if (after.kind === 'no-such-job') return after;
        const { capacity, claimed } = after.slots;
        if (claimed > capacity) throw new TooMany();
        return { kind: 'claimed', claim, slots: after.slots };
      });
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      const refusal = await countClaims(db, request);
      return refusal.kind === 'granted' ? { kind: 'busy' } : refusal;
    }
  },
};

class TooMany extends Error {}

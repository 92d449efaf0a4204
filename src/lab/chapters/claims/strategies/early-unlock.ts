import { sql } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * A trap: the lock is released before the COMMIT. The next claimer then gets the lock, and does not
 * see our claim yet.
 * Counterexample: S1 inserts and unlocks. S2 locks and counts 3. S1 commits. S2 inserts the fifth
 * claim.
 */
export const earlyUnlock: ClaimStrategy = {
  name: 'early-unlock',
  idea: 'advisory lock, given back before the commit',
  promise: 'nothing',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_lock(${request.jobId}::bigint)`);
      try {
        // We set a savepoint. Without a savepoint, PostgreSQL would refuse the unlock below after
        // an error.
        return await tx.transaction(async (inner) => {
          const decision = await countClaims(inner, request);
          if (decision.kind !== 'granted') return decision;
          const claim = await insertClaim(inner, request);
          return { kind: 'claimed', claim, slots: decision.slots };
        });
      } finally {
        // THE GAP: the next claimer gets the lock, and our claim is not committed yet.
        await tx.execute(sql`select pg_advisory_unlock(${request.jobId}::bigint)`);
      }
    }),
};

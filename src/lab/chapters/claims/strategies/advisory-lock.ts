import { sql } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * Locks a number instead of a row. Another transaction that asks for the same number waits until
 * this transaction has ended. The lock needs no row. The lock does not stop code that never asks
 * for the number.
 */
export const advisoryLock: ClaimStrategy = {
  name: 'advisory-lock',
  idea: 'pg_advisory_xact_lock(job), held until the commit',
  promise: 'capacity',
  claim: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: the next claim of this job waits here until we commit or roll back.
      await tx.execute(sql`select pg_advisory_xact_lock(${request.jobId}::bigint)`);
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
};

import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const isConflict = (error: unknown) => databaseError(error)?.code === SQLSTATE.serializationFailure;

/**
 * Wrong: `default_transaction_isolation` is the level of later transactions. This transaction is
 * already READ COMMITTED, and SET LOCAL ends with it. So nothing is ever serializable.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return retryOn(isConflict, () =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set local default_transaction_isolation = 'serializable'`);
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );
}

import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const isConflict = (error: unknown) => databaseError(error)?.code === SQLSTATE.serializationFailure;

/**
 * Wrong: after a conflict, it repeats the insert, but not the count. The second transaction has
 * read nothing, so PostgreSQL finds no conflict.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  let decision: Awaited<ReturnType<typeof countClaims>> | undefined;
  return retryOn(isConflict, () =>
    db.transaction(
      async (tx) => {
        decision ??= await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      },
      { isolationLevel: 'serializable' },
    ),
  );
}

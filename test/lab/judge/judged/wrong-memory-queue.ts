import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

let tail: Promise<unknown> = Promise.resolve();

/**
 * Wrong: the queue is in the memory of one server, and each recruiter may ask a different server.
 */
export default (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const mine = tail.then(() => claim(db, request));
  tail = mine.catch(() => undefined);
  return mine;
};

async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;
  return { kind: 'claimed', claim: await insertClaim(db, request), slots: decision.slots };
}

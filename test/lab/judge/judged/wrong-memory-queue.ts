import { insertClaim } from 'rowlock/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';

let tail: Promise<unknown> = Promise.resolve();

/** Wrong: the queue is in the memory of one server, and each recruiter may ask another. */
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

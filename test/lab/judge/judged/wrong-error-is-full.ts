import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';
import { underLock } from './lib/under-lock.ts';

const claim = underLock(async (tx, request) => {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  return {
    kind: 'claimed',
    claim: await insertClaim(tx, request),
    slots: decision.slots,
  };
});

/** Wrong: it says that the job is full after every error. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  try {
    return await claim(db, request);
  } catch {
    return { kind: 'full', slots: slotsOf(0, 0) };
  }
};

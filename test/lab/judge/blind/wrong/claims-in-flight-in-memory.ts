import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** How many claims of each job this server is deciding now. */
const inFlight = new Map<bigint, number>();

/**
 * Wrong: it also counts the claims that are in flight, but only those of its own process. Two servers
 * do not know of each other's claims.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const { jobId } = request;
  const others = inFlight.get(jobId) ?? 0;
  inFlight.set(jobId, others + 1);
  try {
    const decision = await countClaims(db, request);
    if (decision.kind !== 'granted') return decision;
    // Each other claim in flight may still take a slot.
    if (decision.slots.remaining < others) return { kind: 'busy' };
    const claim = await insertClaim(db, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  } finally {
    const left = (inFlight.get(jobId) ?? 1) - 1;
    if (left > 0) inFlight.set(jobId, left);
    else inFlight.delete(jobId);
  }
}

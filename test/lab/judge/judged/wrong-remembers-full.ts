import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const known = new Map<bigint, Outcome>();

/** Wrong: the lock is right, but a job that was full once is full for ever. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  const full = known.get(request.jobId);
  if (full) return full;
  const outcome = await db.transaction(async (tx): Promise<Outcome> => {
    await tx.execute(sql`select from jobs where id = ${request.jobId} for update`);
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    return { kind: 'claimed', claim: await insertClaim(tx, request), slots: decision.slots };
  });
  if (outcome.kind === 'full') known.set(request.jobId, outcome);
  return outcome;
};

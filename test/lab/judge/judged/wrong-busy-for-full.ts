import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

/** Wrong: it says `busy` where the job is full, so its clients ask again for ever. */
export default (db: Database, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx): Promise<Outcome> => {
    await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
    const decision = await countClaims(tx, request);
    if (decision.kind === 'full') return { kind: 'busy' };
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });

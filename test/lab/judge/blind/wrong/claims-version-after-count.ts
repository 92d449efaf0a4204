import { and, eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import { counters } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

class Outdated extends Error {}

const isOutdated = (error: unknown) => error instanceof Outdated;

/**
 * Wrong: it counts first and reads the version after that. If another claim commits between the two
 * reads, the version is new and the count is old.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return retryOn(isOutdated, () =>
    db.transaction(async (tx) => {
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const ofJob = eq(counters.jobId, request.jobId);
      const [read] = await tx.select({ version: counters.version }).from(counters).where(ofJob);
      if (!read) return { kind: 'no-such-job' };
      const moved = await tx
        .update(counters)
        .set({ version: read.version + 1 })
        .where(and(ofJob, eq(counters.version, read.version)))
        .returning({ version: counters.version });
      if (moved.length === 0) throw new Outdated();
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );
}

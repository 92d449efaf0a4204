import { and, eq } from 'drizzle-orm';
import { insertClaim } from '../../../../claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * Nobody locks while deciding; a version that everyone must move on from tells whether somebody else
 * was faster. Of two who read the same version one finds it gone, undoes its work and tries again.
 */
export const optimistic: ClaimStrategy = {
  name: 'optimistic',
  idea: 'decide without a lock, commit if the version is unchanged',
  promise: 'capacity',
  claim: (db, request) =>
    retryOn(isOutdated, () =>
      db.transaction(async (tx) => {
        const ofJob = eq(counters.jobId, request.jobId);
        const [read] = await tx.select({ version: counters.version }).from(counters).where(ofJob);
        const decision = await countClaims(tx, request);
        if (!read || decision.kind === 'no-such-job') return { kind: 'no-such-job' };
        if (decision.kind !== 'granted') return decision;
        // THE CHECK: of two that read the same version, one finds it gone.
        const moved = await tx
          .update(counters)
          .set({ version: read.version + 1 })
          .where(and(ofJob, eq(counters.version, read.version)))
          .returning({ version: counters.version });
        if (moved.length === 0) throw new Outdated();
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      }),
    ),
};

class Outdated extends Error {}

const isOutdated = (error: unknown) => error instanceof Outdated;

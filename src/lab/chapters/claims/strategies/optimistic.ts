import { and, eq } from 'drizzle-orm';
import { insertClaim } from '../../../../service/claims/queries.ts';
import { countClaims } from '../count-claims.ts';
import { retryOn } from '../retry.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { counters } from '../tables.ts';

/**
 * No claim takes a lock before its decision. Each claim changes the version, so a changed version
 * shows that somebody else was faster. If two transactions read the same version, one of them finds
 * a changed version, rolls back and tries again.
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
        // THE CHECK: if two transactions read the same version, only one can change it.
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

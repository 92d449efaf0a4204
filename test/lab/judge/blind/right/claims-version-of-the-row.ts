import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { retryOn } from 'rowlock/lab/chapters/claims/retry.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

class Outdated extends Error {}

const isOutdated = (error: unknown) => error instanceof Outdated;

/**
 * Right: optimistic, with PostgreSQL's own version of the job's row. `xmin` is read before the count,
 * and each claim writes the row, so a claim that counted too early finds another `xmin`.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return retryOn(isOutdated, () =>
    db.transaction(async (tx) => {
      const [read] = await tx.execute<{ version: string }>(
        sql`select xmin::text as version from jobs where id = ${request.jobId}`,
      );
      if (!read) return { kind: 'no-such-job' };
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const moved = await tx.execute(sql`
        update jobs set capacity = capacity
        where id = ${request.jobId} and xmin::text = ${read.version}
        returning id`);
      if (moved.length === 0) throw new Outdated();
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );
}

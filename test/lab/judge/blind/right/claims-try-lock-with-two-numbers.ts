import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

const MOST_TRIES = 40;
const PAUSE_MS = 50;

/**
 * Right: the two halves of the job's id are the two numbers of an advisory lock, so no two jobs share
 * a lock. It never waits in the database. After two seconds of pauses it says that it is busy.
 */
export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const jobId = sql`${request.jobId}::bigint`;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const outcome = await db.transaction(async (tx): Promise<Outcome | undefined> => {
      const [row] = await tx.execute<{ is_ours: boolean }>(sql`
        select pg_try_advisory_xact_lock(
          (${jobId} >> 32)::int, ((${jobId} << 32) >> 32)::int) as is_ours`);
      if (!row?.is_ours) return undefined;
      const decision = await countClaims(tx, request);
      if (decision.kind !== 'granted') return decision;
      const claim = await insertClaim(tx, request);
      return { kind: 'claimed', claim, slots: decision.slots };
    });
    if (outcome) return outcome;
    await setTimeout(PAUSE_MS);
  }
  return { kind: 'busy' };
}

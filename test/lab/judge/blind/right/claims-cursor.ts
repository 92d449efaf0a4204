import { sql } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/**
 * Right: a cursor locks the job's row when the row is fetched. The lock stays until the commit,
 * although the cursor is closed before the count.
 */
export default function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // The id is a bigint, so it is safe in the text. A cursor needs no parameters.
    const jobId = sql.raw(String(request.jobId));
    await tx.execute(
      sql`declare own_job cursor for select id from jobs where id = ${jobId} for update`,
    );
    const [job] = await tx.execute(sql`fetch next from own_job`);
    await tx.execute(sql`close own_job`);
    if (!job) return { kind: 'no-such-job' };
    const decision = await countClaims(tx, request);
    if (decision.kind !== 'granted') return decision;
    const claim = await insertClaim(tx, request);
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

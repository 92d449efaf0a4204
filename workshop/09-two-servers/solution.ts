import { and, eq, sql } from 'drizzle-orm';
import { sleep } from 'rowlock/lab/chapters/claims/clock.ts';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import { leases } from 'rowlock/lab/chapters/claims/tables.ts';
import type { Database, Transaction } from 'rowlock/platform/db/client.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Two servers share a lease: a lock in a table that ends by itself after ten seconds. */
async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  const token = await takeLease(db, request);
  if (typeof token !== 'number') return token;
  try {
    const decision = await countClaims(db, request);
    if (decision.kind !== 'granted') return decision;
    return await db.transaction(async (tx): Promise<Outcome> => {
      // The fence: the row of the lease stays locked until we commit.
      if (!(await endLease(tx, request, token))) return { kind: 'busy' };
      const inserted = await insertClaim(tx, request);
      return { kind: 'claimed', claim: inserted, slots: decision.slots };
    });
  } finally {
    await endLease(db, request, token);
  }
}

/** Time may pass while a claim runs. The lab lets time pass at every step. */
export default { claim, timed: true };

// You need not change the lines below.

const TRIES = 40;
const PAUSE_MS = 50;

/**
 * Waits for the lease, and takes it. Each lease has a higher token than the lease before. Returns an
 * outcome if the job is not there, or if the lease does not become free in time.
 */
async function takeLease(db: Database, request: ClaimRequest): Promise<number | Outcome> {
  const ofJob = sql`${leases.jobId} = ${request.jobId}`;
  for (let tries = 1; tries <= TRIES; tries++) {
    const [answer] = await db.execute<{ token: number | null; known: boolean }>(sql`
      with taken as (
        update ${leases} set holder = ${request.recruiterId}, token = token + 1,
          expires_at = now() + interval '10 seconds'
        where ${ofJob} and (holder is null or expires_at < now()) returning token
      )
      select (select token from taken), exists (select from ${leases} where ${ofJob}) as known`);
    if (typeof answer?.token === 'number') return answer.token;
    if (!answer?.known) return { kind: 'no-such-job' };
    await sleep(PAUSE_MS);
  }
  return { kind: 'busy' };
}

/** Ends the lease with this token. Returns false if a later lease has replaced it. */
async function endLease(db: Database | Transaction, { jobId }: ClaimRequest, token: number) {
  const ended = await db
    .update(leases)
    .set({ holder: null })
    .where(and(eq(leases.jobId, jobId), eq(leases.token, token)))
    .returning({ token: leases.token });
  return ended.length > 0;
}

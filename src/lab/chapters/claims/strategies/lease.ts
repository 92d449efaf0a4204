import { and, eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../../platform/db/client.ts';
import { insertClaim } from '../../../../service/claims/queries.ts';
import type { ClaimRequest, Outcome } from '../../../../service/claims/rules.ts';
import { sleep } from '../clock.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';
import { leases } from '../tables.ts';

const TRIES = 40;
const PAUSE_MS = 50;

/**
 * A lease is a lock that ends by itself, so a crashed holder does not hold it for ever. But a slow
 * holder does not notice that its lease has ended, and goes on.
 * Counterexample: S1 takes the lease and counts 3. Time passes. S2 takes the lease and counts 3.
 * Both insert.
 */
export const lease: ClaimStrategy = {
  name: 'lease',
  idea: 'a lock that expires: a slow holder goes on regardless',
  promise: 'nothing',
  timed: true,
  claim: (db, request) =>
    withLease(db, request, async (token) => {
      // THE GAP: once our lease has ended, the holder of the next lease counts the same number.
      const decision = await countClaims(db, request);
      if (decision.kind !== 'granted') return decision;
      return db.transaction(async (tx) => {
        const claim = await insertClaim(tx, request);
        await endLease(tx, request, token);
        return { kind: 'claimed', claim, slots: decision.slots };
      });
    }),
};

/**
 * Each lease has a higher token than the lease before. The transaction that writes also checks its
 * token. If its token is no longer the newest, the transaction does not write.
 */
export const fencedLease: ClaimStrategy = {
  name: 'fenced-lease',
  file: 'lease',
  idea: 'a lease whose token is checked with the write',
  promise: 'capacity',
  timed: true,
  claim: (db, request) =>
    withLease(db, request, async (token) => {
      const decision = await countClaims(db, request);
      if (decision.kind !== 'granted') return decision;
      return db.transaction(async (tx) => {
        // THE FENCE: checks our token, and locks the lease's row until we commit.
        if (!(await endLease(tx, request, token))) return { kind: 'busy' };
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      });
    }),
};

/**
 * Runs `work` with the token of a lease. `work` must end the lease if it claims a slot. Otherwise
 * this function ends the lease.
 */
async function withLease(
  db: Database,
  request: ClaimRequest,
  work: (token: number) => Promise<Outcome>,
): Promise<Outcome> {
  const token = await takeLease(db, request);
  if (typeof token !== 'number') return token;
  let outcome: Outcome | undefined;
  try {
    outcome = await work(token);
    return outcome;
  } finally {
    if (outcome?.kind !== 'claimed') await endLease(db, request, token);
  }
}

/** Takes the lease, and returns its token. Returns an outcome if we do not get the lease. */
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

/** Ends our lease. Returns false if the lease was no longer ours. */
async function endLease(db: Database | Transaction, { jobId }: ClaimRequest, token: number) {
  const ended = await db
    .update(leases)
    .set({ holder: null })
    .where(and(eq(leases.jobId, jobId), eq(leases.token, token)))
    .returning({ token: leases.token });
  return ended.length > 0;
}

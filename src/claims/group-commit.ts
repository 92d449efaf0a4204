import type { Database } from '../db/client.ts';
import { retryConflicts } from '../db/retry.ts';
import { claimUnderLock, lockJobs } from './claim-job.ts';
import { lookForRefusals } from './look.ts';
import { jobsThatExist } from './queries.ts';
import type { ClaimRequest, Outcome } from './rules.ts';
import { outcomeOf } from './settle.ts';

/** What a claim of a batch got: an outcome, or word that another session has the job's lock. */
export type Result = Outcome | { kind: 'locked-elsewhere' };

/**
 * Decides claims together, in one transaction that waits for no lock: a job that another session
 * holds must not delay the others. Each claim gets a result, in their order.
 */
export const claimTogether = (db: Database, requests: ClaimRequest[]): Promise<Result[]> =>
  settleTogether(requests, (some) =>
    db.transaction(async (tx) => {
      const ids = jobsOf(some);
      const locked = await lockJobs(tx, ids, { skipLocked: true });
      const missing = ids.filter((id) => !locked.has(id));
      const elsewhere = missing.length > 0 ? await jobsThatExist(tx, missing) : new Set<bigint>();
      const outcomes = await claimUnderLock(tx, locked, some);
      return some.map(
        ({ jobId }, index): Result =>
          elsewhere.has(jobId) ? LOCKED_ELSEWHERE : (outcomes[index] ?? { kind: 'no-such-job' }),
      );
    }),
  );

/** Decides claims of one job together, and waits for its lock as long as `lock_timeout` allows. */
export const claimInLine = (db: Database, requests: ClaimRequest[]): Promise<Result[]> =>
  settleTogether(requests, (some) =>
    db.transaction(async (tx) => claimUnderLock(tx, await lockJobs(tx, jobsOf(some)), some)),
  );

const LOCKED_ELSEWHERE = { kind: 'locked-elsewhere' } as const;

const jobsOf = (requests: ClaimRequest[]) => [...new Set(requests.map(({ jobId }) => jobId))];

/**
 * Makes outcomes of the database's errors. Where one of the claims is to blame for all (it may name
 * a recruiter that does not exist), each half is tried alone, the first one first, until it is found.
 */
async function settleTogether(
  requests: ClaimRequest[],
  claim: (requests: ClaimRequest[]) => Promise<Result[]>,
): Promise<Result[]> {
  try {
    return await retryConflicts(() => claim(requests));
  } catch (error) {
    const outcome = outcomeOf(error);
    if (!outcome) throw error;
    const isOfAll = outcome.kind === 'busy' || outcome.kind === 'unknown';
    if (isOfAll || requests.length === 1) return requests.map(() => outcome);
    const half = Math.ceil(requests.length / 2);
    const first = await settleTogether(requests.slice(0, half), claim);
    return [...first, ...(await settleTogether(requests.slice(half), claim))];
  }
}

/** The outcomes that need no lock; undefined for those that do. */
export async function refuseTogether(db: Database, requests: ClaimRequest[]) {
  try {
    return await lookForRefusals(db, requests);
  } catch (error) {
    const outcome = outcomeOf(error);
    if (!outcome) throw error;
    // It only looked, so nothing was claimed, however this ended.
    return requests.map((): Outcome => ({ kind: 'busy' }));
  }
}

import { asc } from 'drizzle-orm';
import { anyOf } from '../db/arrays.ts';
import type { Database, Transaction } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import { insertClaims, readForClaims, recruitersThatExist, removeExpired } from './queries.ts';
import { type ClaimRequest, decideInOrder, type Outcome } from './rules.ts';

/**
 * Claims one slot of a job for a recruiter. However many ask at the same moment, on however many
 * servers, a job never gets more holders than its capacity.
 *
 * Throws what the database throws; `settle` turns the expected errors into outcomes.
 */
export const claimJob = (db: Database | Transaction, request: ClaimRequest): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const locked = await lockJobs(tx, [request.jobId]);
    const [outcome] = await claimUnderLock(tx, locked, [request]);
    return outcome ?? { kind: 'no-such-job' };
  });

/** THE LOCK: whoever wants one of these jobs next waits here until we commit or roll back. */
export async function lockJobs(tx: Transaction, ids: bigint[], { skipLocked = false } = {}) {
  const rows = await tx
    .select({ id: jobs.id, capacity: jobs.capacity })
    .from(jobs)
    .where(anyOf(jobs.id, ids))
    // All take their locks in this order, so no two wait for one another.
    .orderBy(asc(jobs.id))
    .for('update', skipLocked ? { skipLocked } : {});
  return new Map(rows.map((job) => [job.id, job]));
}

/** Decides claims of jobs that this transaction has locked, in the order in which they came. */
export async function claimUnderLock(
  tx: Transaction,
  locked: ReadonlyMap<bigint, { capacity: number }>,
  requests: ClaimRequest[],
): Promise<Outcome[]> {
  // A statement of its own, after the locks were granted: only now does its snapshot contain
  // every claim that the earlier holders of the locks have committed.
  const { holders, recruiters } = await readForClaims(tx, [...locked.keys()], requests);
  const decisions = decideInOrder(requests, locked, holders, recruiters);

  const granted = requests.filter((_, index) => decisions[index]?.kind === 'granted');
  const inTheWay = granted.map(({ jobId }) => jobId).filter((id) => holders.get(id)?.expired);
  if (inTheWay.length > 0) await removeExpired(tx, inTheWay);
  const claims = await insertClaims(tx, granted);
  const absent = requests.filter((_, index) => decisions[index]?.kind === 'absent');
  const taken = await recruitersThatExist(tx, absent);
  return requests.map((request, index) => {
    const decision = decisions[index] ?? { kind: 'no-such-job' };
    if (decision.kind === 'absent')
      return { kind: taken.has(request.recruiterId) ? 'busy' : 'no-such-recruiter' };
    if (decision.kind !== 'granted') return decision;
    const claim = claims.shift();
    if (claim?.jobId !== request.jobId || claim.recruiterId !== request.recruiterId)
      throw new Error('INSERT … RETURNING gave other rows than it was given');
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

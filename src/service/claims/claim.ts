import type { Database, Transaction } from '../../platform/db/client.ts';
import { findIdleJobs } from './line.ts';
import { findClaim, lockExpired } from './queries.ts';
import {
  asSeenBy,
  type Claim,
  type ClaimRequest,
  decide,
  type HeldJob,
  type Outcome,
  type Slots,
  slotsOf,
} from './rules.ts';
import { changeSlots, type LockedSlots } from './slots.ts';

/**
 * Claims one slot of a job for a recruiter, in a transaction of its own. This is the textbook way
 * to claim. `group-commit.ts` decides many claims in one transaction, with the same rules and the
 * same lock.
 *
 * Throws the errors of the database. `settle` turns the expected errors into outcomes.
 */
export const claimJob = (db: Database | Transaction, request: ClaimRequest): Promise<Outcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [request.jobId] }, async (slots) => {
      const job = slots.jobs.get(request.jobId);
      if (!job) return { kind: 'no-such-job' };
      const decision = decide(job, asSeenBy(request.recruiterId, job));
      if (decision.kind !== 'granted') return decision;
      const [claim] = (await slots.claim([request])) as [Claim];
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );

/** The claim to change. If a recruiter is given, the claim must belong to this recruiter. */
export interface ClaimChange {
  id: bigint;
  recruiterId?: bigint | undefined;
}

/** A released or expired claim gets `no-such-claim`, like a claim that never existed. */
export type ChangeOutcome =
  | { kind: 'done'; claim: Claim; slots: Slots }
  | { kind: 'no-such-claim' }
  | { kind: 'no-lease' };

/**
 * Releases a claim, which frees its slot. If somebody waits, the first in line gets an offer of the
 * slot in the same transaction. The release of an offer declines the offer. Each claim has its own
 * id, so a late release never frees the slot of a newer claim.
 */
export const releaseClaim = (
  db: Database | Transaction,
  change: ClaimChange,
): Promise<ChangeOutcome> =>
  changeClaim(db, change, async (slots, found, { capacity, recruiters }) => {
    const claim = await slots.release(found);
    if (!claim) return { kind: 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size) };
  });

/**
 * Sets the end of the lease to `leaseSeconds` from now. The renewal needs the lock of the job.
 * Without the lock, another transaction could count the claim as expired during the renewal, and
 * give its slot away.
 */
export const renewClaim = (
  db: Database | Transaction,
  change: ClaimChange & { leaseSeconds: number },
): Promise<ChangeOutcome> =>
  changeClaim(db, change, async (slots, { id }, { capacity, recruiters }) => {
    const claim = await slots.renew(id, change.leaseSeconds);
    // If the claim is still there, it has no lease.
    if (!claim) return { kind: (await slots.find(id)) ? 'no-lease' : 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size) };
  });

/**
 * Accepts an offer. The claim has no lease afterwards, or a lease of `leaseSeconds`. A claim that is
 * no offer stays as it is, so a recruiter may accept twice.
 */
export const acceptOffer = (
  db: Database | Transaction,
  change: ClaimChange & { leaseSeconds?: number | undefined },
): Promise<ChangeOutcome> =>
  changeClaim(db, change, async (slots, { id }, { capacity, recruiters }) => {
    const claim = (await slots.accept(id, change.leaseSeconds)) ?? (await slots.find(id));
    if (!claim) return { kind: 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size) };
  });

/** Finds the claim, and runs `change` under the lock of its job. */
function changeClaim(
  db: Database | Transaction,
  { id, recruiterId }: ClaimChange,
  change: (slots: LockedSlots, found: Claim, job: HeldJob) => Promise<ChangeOutcome>,
): Promise<ChangeOutcome> {
  return db.transaction(async (tx) => {
    // A claim never moves to another job, so its job is known without the lock.
    const found = await findClaim(tx, id, recruiterId);
    if (!found) return { kind: 'no-such-claim' };
    return changeSlots(tx, { jobIds: [found.jobId] }, async (slots) => {
      const job = slots.jobs.get(found.jobId);
      return job ? change(slots, found, job) : { kind: 'no-such-claim' };
    });
  });
}

export type ResizeOutcome =
  | { kind: 'resized' }
  | { kind: 'capacity-too-low'; requested: number; slots: Slots }
  | { kind: 'no-such-job' };

/**
 * Changes the capacity of a job. The change needs the lock of the job. Without the lock, a claim
 * could be checked against the old capacity, and take a slot that this change removes.
 */
export const resizeJob = (
  tx: Transaction,
  jobId: bigint,
  capacity: number,
): Promise<ResizeOutcome> =>
  changeSlots(tx, { jobIds: [jobId] }, async (slots) => {
    const job = slots.jobs.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const before = slotsOf(job.capacity, job.recruiters.size);
    if (capacity < before.claimed)
      return { kind: 'capacity-too-low', requested: capacity, slots: before };
    await slots.resize(jobId, capacity);
    return { kind: 'resized' };
  });

/**
 * Removes up to `limit` expired claims, and returns how many it removed. Waits for no lock. If
 * another session has locked a claim or its job, the claim stays until the next call.
 */
export async function expireClaims(tx: Transaction, limit: number): Promise<number> {
  const found = await lockExpired(tx, limit);
  if (found.length === 0) return 0;
  const jobIds = [...new Set(found.map(({ jobId }) => jobId))];
  const ids = found.map(({ id }) => id);
  await changeSlots(tx, { jobIds }, (slots) => slots.expire(jobIds, ids));
  return found.length;
}

/**
 * Gives the free slots of up to `limit` jobs to their lines, and returns the number of these jobs.
 * Skips the jobs that another session has locked.
 */
export async function offerIdleSlots(tx: Transaction, limit: number): Promise<number> {
  const jobIds = await findIdleJobs(tx, limit);
  if (jobIds.length === 0) return 0;
  // The offers are made before the function is called.
  return changeSlots(tx, { jobIds, skipLocked: true }, async ({ jobs }) => jobs.size);
}

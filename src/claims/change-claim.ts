import type { Database, Transaction } from '../db/client.ts';
import { findClaim } from './queries.ts';
import type { Claim, HeldJob, Slots } from './rules.ts';
import { changeSlots, type LockedSlots } from './slots.ts';

/** The claim to change. If a recruiter is given, the claim must be theirs. */
export interface ClaimChange {
  id: bigint;
  recruiterId?: bigint | undefined;
}

/** A released or expired claim gets `no-such-claim`, like a claim that never existed. */
export type ChangeOutcome =
  | { kind: 'done'; claim: Claim; slots: Slots }
  | { kind: 'no-such-claim' }
  | { kind: 'no-lease' };

/** Finds the claim, and runs `change` under the lock of its job. */
export function changeClaim(
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

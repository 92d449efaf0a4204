import { findClaim } from './queries.ts';
import type { Claim, HeldJob, Slots } from './rules.ts';
import { changeSlots, type Door, inTransaction, type LockedSlots } from './slots.ts';

/** Which claim; with a recruiter, only if the claim is theirs. */
export interface ClaimChange {
  id: bigint;
  recruiterId?: bigint | undefined;
}

/** A claim that was released or has expired is answered as a claim that never was. */
export type ChangeOutcome =
  | { kind: 'done'; claim: Claim; slots: Slots }
  | { kind: 'no-such-claim' }
  | { kind: 'no-lease' };

/** Runs `change` under the lock of the claim's job, if there is such a claim. */
export function changeClaim(
  door: Door,
  { id, recruiterId }: ClaimChange,
  change: (slots: LockedSlots, found: Claim, job: HeldJob) => Promise<ChangeOutcome>,
): Promise<ChangeOutcome> {
  return inTransaction(door, async (within) => {
    // A claim never moves to another job, so its job is known without the lock.
    const found = await findClaim(within.db, id, recruiterId);
    if (!found) return { kind: 'no-such-claim' };
    return changeSlots(within, { jobIds: [found.jobId] }, async (slots) => {
      const job = slots.jobs.get(found.jobId);
      return job ? change(slots, found, job) : { kind: 'no-such-claim' };
    });
  });
}

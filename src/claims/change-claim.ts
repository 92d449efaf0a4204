import type { Database, Transaction } from '../db/client.ts';
import { lockJob } from './claim-job.ts';
import { deleteClaim, extendLease, findClaim, readHolders } from './queries.ts';
import { type Claim, type Slots, slotsOf } from './rules.ts';

/** Which claim; with a recruiter, only if it is theirs. */
export interface ClaimChange {
  id: bigint;
  recruiterId?: bigint | undefined;
}

/** A claim that was released or has expired is no more: there is no difference to one that never was. */
export type ChangeOutcome =
  | { kind: 'done'; claim: Claim; slots: Slots }
  | { kind: 'no-such-claim' }
  | { kind: 'no-lease' };

/** Gives the slot back. A claim made anew has a new id, so a late release frees nobody else's. */
export const releaseClaim = (
  db: Database | Transaction,
  change: ClaimChange,
): Promise<ChangeOutcome> => underLock(db, change, (tx) => deleteClaim(tx, change.id));

/**
 * Makes the lease end so many seconds from now. Under the job's lock, since a claimer may just be
 * counting this claim as expired: it may then no longer be renewed.
 */
export const renewClaim = (
  db: Database | Transaction,
  change: ClaimChange & { leaseSeconds: number },
): Promise<ChangeOutcome> =>
  underLock(db, change, async (tx, claim) => {
    if (claim.expiresAt === null) return { kind: 'no-lease' };
    return extendLease(tx, change.id, change.leaseSeconds);
  });

function underLock(
  db: Database | Transaction,
  { id, recruiterId }: ClaimChange,
  change: (tx: Transaction, claim: Claim) => Promise<Claim | { kind: 'no-lease' } | undefined>,
): Promise<ChangeOutcome> {
  return db.transaction(async (tx) => {
    // A claim never moves to another job, so this much is true without the lock.
    const found = await findClaim(tx, id, recruiterId);
    const job = found && (await lockJob(tx, found.jobId));
    const changed = job && (await change(tx, found));
    if (!changed) return { kind: 'no-such-claim' };
    if ('kind' in changed) return changed;
    const { claimed } = await readHolders(tx, changed);
    return { kind: 'done', claim: changed, slots: slotsOf(job.capacity, claimed) };
  });
}

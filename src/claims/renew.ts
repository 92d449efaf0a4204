import { type ChangeOutcome, type ClaimChange, changeClaim } from './change-claim.ts';
import { slotsOf } from './rules.ts';
import type { Door } from './slots.ts';

/**
 * Lets the lease end so many seconds from now. It needs the lock of the job: a claimer may be
 * counting this claim as expired just now, and then the claim may no longer be renewed.
 */
export const renewClaim = (
  door: Door,
  change: ClaimChange & { leaseSeconds: number },
): Promise<ChangeOutcome> =>
  changeClaim(door, change, async (slots, { id, expiresAt }, { capacity, recruiters }) => {
    if (expiresAt === null) return { kind: 'no-lease' };
    const claim = await slots.renew(id, change.leaseSeconds);
    if (!claim) return { kind: 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size) };
  });

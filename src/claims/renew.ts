import type { Database, Transaction } from '../db/client.ts';
import { type ChangeOutcome, type ClaimChange, changeClaim } from './change-claim.ts';
import { slotsOf } from './rules.ts';

/**
 * Sets the end of the lease to `leaseSeconds` from now. The renewal needs the lock of the job.
 * Without the lock, another transaction could count the claim as expired and give its slot away
 * while this transaction renews the claim.
 */
export const renewClaim = (
  db: Database | Transaction,
  change: ClaimChange & { leaseSeconds: number },
): Promise<ChangeOutcome> =>
  changeClaim(db, change, async (slots, { id, expiresAt }, { capacity, recruiters }) => {
    if (expiresAt === null) return { kind: 'no-lease' };
    const claim = await slots.renew(id, change.leaseSeconds);
    if (!claim) return { kind: 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size) };
  });

import type { Database, Transaction } from '../db/client.ts';
import { type ChangeOutcome, type ClaimChange, changeClaim } from './change-claim.ts';
import { slotsOf } from './rules.ts';

/**
 * Releases a claim, which frees its slot. Each claim has its own id, so a late release never frees
 * the slot of a newer claim.
 */
export const releaseClaim = (
  db: Database | Transaction,
  change: ClaimChange,
): Promise<ChangeOutcome> =>
  changeClaim(db, change, async (slots, { id }, { capacity, recruiters }) => {
    const claim = await slots.release(id);
    if (!claim) return { kind: 'no-such-claim' };
    return { kind: 'done', claim, slots: slotsOf(capacity, recruiters.size - 1) };
  });

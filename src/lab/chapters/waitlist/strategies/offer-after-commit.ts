import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * The offer has a transaction of its own, after the change. Between the two transactions, the slot
 * is free for everybody. If the server dies there, nobody makes the offer.
 * Counterexample (newcomer): S1 releases the slot and commits. S2 claims it. S1 finds no free slot.
 */
export const offerAfterCommit: WaitlistStrategy = {
  name: 'offer-after-commit',
  idea: 'commit the change, and then offer the slot',
  promise: 'nothing',
  async change(db, request) {
    const outcome = await db.transaction(async (tx) => {
      await lockJob(tx, request);
      return act(tx, request);
    });
    // THE GAP: the slot is free, and nobody has locked the job.
    await db.transaction(async (tx) => {
      await lockJob(tx, request);
      await offerFreeSlots(tx, request);
    });
    return outcome;
  },
};

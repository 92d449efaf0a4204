import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * A recruiter who was told `full` inserts a row and waits. But the slot may have been freed between
 * the answer and the row. The release found nobody in line, and no later change makes an offer. This
 * is the lost wakeup.
 * Counterexample (lost-wakeup): S2 is told `full`. S1 releases the slot, and finds an empty line. S2
 * joins, and waits for ever.
 */
export const joinWithoutLock: WaitlistStrategy = {
  name: 'join-without-lock',
  idea: 'insert into the line, and wait for the next release',
  promise: 'nothing',
  async change(db, request) {
    // THE GAP: a slot may be free already, and nobody checks.
    if (request.kind === 'join') return act(db, request);
    return db.transaction(async (tx) => {
      await lockJob(tx, request);
      const outcome = await act(tx, request);
      await offerFreeSlots(tx, request);
      return outcome;
    });
  },
};

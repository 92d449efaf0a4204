import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * A transaction gives each free slot to the line before it commits, under the lock of the job. So
 * nobody who gets the lock finds a free slot and a line. A newcomer who finds a free slot knows that
 * nobody waits, and need not ask. Time frees no slot: an offer that has ended takes its slot until a
 * transaction removes the offer, and gives the slot to the line at once.
 */
export const offerUnderLock: WaitlistStrategy = {
  name: 'offer-under-lock',
  idea: 'lock the job, change it, and offer each free slot before the commit',
  promise: 'line',
  change: (db, request) =>
    db.transaction(async (tx) => {
      // THE LOCK: from here to the commit, nobody else changes this job or its line.
      await lockJob(tx, request);
      const outcome = await act(tx, request);
      await offerFreeSlots(tx, request);
      return outcome;
    }),
};

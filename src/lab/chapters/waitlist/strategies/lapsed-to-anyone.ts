import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * A claim with a lease counts until its lease ends. So the slot of an offer becomes free by itself,
 * without a transaction that could give it to the line. Whoever claims next takes it.
 * Counterexample (lapse): time passes, and the offer ends. S2 claims before anybody offers the slot.
 */
export const lapsedToAnyone: WaitlistStrategy = {
  name: 'lapsed-to-anyone',
  idea: 'offer-under-lock, but a slot is free as soon as its offer ends',
  promise: 'nothing',
  change: (db, request) =>
    db.transaction(async (tx) => {
      await lockJob(tx, request);
      // THE GAP: the end of the lease frees the slot, and no transaction offers it.
      const outcome = await act(tx, request, { lapsedIsFree: true });
      await offerFreeSlots(tx, request);
      return outcome;
    }),
};

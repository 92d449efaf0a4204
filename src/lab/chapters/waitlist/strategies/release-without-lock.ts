import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * A release frees its own slot, so it seems to need no lock. But the release also reads the line. Two
 * releases at once find the same recruiter first. One of them makes the offer, and the other makes
 * none, so its slot stays free. Such a release also loses the wakeup of a recruiter who joins.
 * Counterexample (two-releases): both read the same first recruiter. S2 waits for the row until S1
 * commits. Then the row is gone, and S2 offers its slot to nobody.
 */
export const releaseWithoutLock: WaitlistStrategy = {
  name: 'release-without-lock',
  idea: 'a release takes the first in line, and does not lock the job',
  promise: 'nothing',
  change: (db, request) =>
    db.transaction(async (tx) => {
      // THE GAP: two releases at once find the same recruiter first.
      if (request.kind !== 'release') await lockJob(tx, request);
      const outcome = await act(tx, request);
      await offerFreeSlots(tx, request);
      return outcome;
    }),
};

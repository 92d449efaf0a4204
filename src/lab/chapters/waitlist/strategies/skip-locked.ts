import { act, lockJob, offerFreeSlots } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * Two releases at once take two different recruiters, and nobody waits. In a queue of tasks this is
 * right, because any task will do. In a line, the order is the promise: a locked row may still be
 * the first, because its transaction may roll back. Without the lock of the job, a release also loses
 * the wakeup of a recruiter who joins.
 * Counterexample (rollback): S1 takes the first in line. S2 skips this row, and takes the second. S1
 * rolls back.
 */
export const skipLocked: WaitlistStrategy = {
  name: 'skip-locked',
  idea: 'a release takes the first in line that nobody has locked',
  promise: 'nothing',
  change: (db, request) =>
    db.transaction(async (tx) => {
      if (request.kind !== 'release') await lockJob(tx, request);
      const outcome = await act(tx, request);
      // THE GAP: a locked recruiter counts as gone, and may come back.
      await offerFreeSlots(tx, request, { skipLocked: true });
      return outcome;
    }),
};

import { act, lockJob } from '../parts.ts';
import type { WaitlistStrategy } from '../strategy.ts';

/**
 * Each change is safe, and a full job is never oversold. But nobody reads the line. The next request
 * gets a free slot. Recruiters in line must ask again and again, and a newcomer may be faster.
 * Counterexample (newcomer): S1 releases the slot. S2 claims it. The first in line still waits.
 */
export const polling: WaitlistStrategy = {
  name: 'polling',
  idea: 'whoever waits asks again, and nobody reads the line',
  promise: 'nothing',
  change: (db, request) =>
    db.transaction(async (tx) => {
      await lockJob(tx, request);
      // THE GAP: a slot that this change frees belongs to nobody.
      return act(tx, request);
    }),
};

import { claimJob } from '../../../../claims/claim.ts';
import type { Strategy } from '../strategy.ts';

/**
 * Whoever locks the job's row first counts and inserts alone; the next one waits, and then counts
 * what the first has committed. This is not a copy of production's claim: it is that function.
 */
export const rowLock: Strategy = {
  name: 'row-lock',
  idea: 'SELECT … FOR UPDATE, then count: one at a time',
  promise: 'capacity',
  claim: (db, request) => claimJob({ db, subscribers: [] }, request),
};

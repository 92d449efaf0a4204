import { LOCK_TIMEOUT_MS, POOL_SIZE } from '../../platform/db/client.ts';
import type { AdmissionLimits } from '../../platform/waiting/admission.ts';
import type { QueueLimits } from './group-commit.ts';

/**
 * Limits for requests that lock one job in a transaction of their own. Requests for the same job
 * get at most half of the connections, so other jobs get connections while that job is locked.
 */
export const CHANGE_LIMITS: AdmissionLimits = {
  places: POOL_SIZE,
  placesPerKey: POOL_SIZE / 2,
  longest: 1_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};
/**
 * The figures in the table are claims per second. Each figure is the median of 5 interleaved
 * rounds. PostgreSQL and the clients ran on the same 2 cores as the server. 256 clients claimed
 * many different jobs.
 *
 * | a batch takes at most       | one batch at a time | two batches at a time |
 * | --------------------------- | ------------------- | --------------------- |
 * | all claims that wait        | 6,900               |                       |
 * | half of these claims        | 6,200               | 6,500                 |
 * | a third of these claims     | 5,500               | 5,700                 |
 * | 64 of these claims          | 5,300               |                       |
 *
 * Two batches at a time compete for the processors, so only one runs.
 *
 * Jobs are locked FOR UPDATE. We rejected FOR NO KEY UPDATE, because it gave only 1.01 times as many
 * claims (9,305 instead of 9,195). For one client it gave 1.02 times as many claims.
 */
export const QUEUE_LIMITS: QueueLimits = {
  batch: 1_000,
  lockWaits: 3,
  waiting: 10_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};

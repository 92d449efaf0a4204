import { LOCK_TIMEOUT_MS, POOL_SIZE } from '../db/client.ts';
import type { AdmissionLimits } from '../waiting/admission.ts';
import type { QueueLimits } from './batching/waiting.ts';

/** One job gets half of the connections, so a held job leaves connections to the other jobs. */
export const CHANGE_LIMITS: AdmissionLimits = {
  places: POOL_SIZE,
  placesPerKey: POOL_SIZE / 2,
  longest: 1_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};
/**
 * Measured on 2 cores that also ran PostgreSQL and the load: 256 clients, claims spread over many
 * jobs, medians of 5 interleaved rounds. The table gives claims a second.
 *
 * | a batch takes at most       | one batch at a time | two batches at a time |
 * | --------------------------- | ------------------- | --------------------- |
 * | all claims that wait        | 6,900               |                       |
 * | half of them                | 6,200               | 6,500                 |
 * | a third of them             | 5,500               | 5,700                 |
 * | 64 of them                  | 5,300               |                       |
 *
 * Batches that overlap take the processors from one another. Two looks at once are for rows that come
 * slowly: with 1,000,000 full jobs, two looks did 0.92 to 1.2 times as much as one look. The locks are
 * FOR UPDATE. FOR NO KEY UPDATE did 1.01 times as much (9,305 and 9,195), and 1.02 for one client.
 */
export const QUEUE_LIMITS: QueueLimits = {
  batches: 1,
  looks: 2,
  batch: 1_000,
  lines: 3,
  waiting: 10_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};

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
 * Measured on 2 cores, with PostgreSQL and the load on them too, 256 clients, claims spread over many
 * jobs, medians of 5 interleaved rounds. All that wait as a batch, one at a time: 6,900 claims/s. At
 * most half of them: 6,200, and with two such batches at once 6,500; a third 5,500 and 5,700; at most
 * 64 of them 5,300. What overlaps takes the processors from one another. Two looks at once are for
 * rows that come slowly: with 1,000,000 full jobs they did from 0.92 to 1.2 times what one did. Locks
 * are FOR UPDATE: FOR NO KEY UPDATE did 1.01 times that (9,305 and 9,195), and 1.02 for one client.
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

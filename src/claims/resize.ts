import type { Transaction } from '../db/client.ts';
import { type Slots, slotsOf } from './rules.ts';
import { changeSlots } from './slots.ts';

export type ResizeOutcome =
  | { kind: 'resized' }
  | { kind: 'capacity-too-low'; requested: number; slots: Slots }
  | { kind: 'no-such-job' };

/**
 * Changes the capacity of a job. The change needs the lock of the job. Without the lock, a claim
 * that was checked against the old capacity could take a slot that this change removes.
 */
export const resizeJob = (
  tx: Transaction,
  jobId: bigint,
  capacity: number,
): Promise<ResizeOutcome> =>
  changeSlots(tx, { jobIds: [jobId] }, async (slots) => {
    const job = slots.jobs.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const before = slotsOf(job.capacity, job.recruiters.size);
    if (capacity < before.claimed)
      return { kind: 'capacity-too-low', requested: capacity, slots: before };
    await slots.resize(jobId, capacity);
    return { kind: 'resized' };
  });

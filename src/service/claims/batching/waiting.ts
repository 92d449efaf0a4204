import type { Claiming, Settled } from './group-commit.ts';

export interface QueueLimits {
  /** How many batches may run at the same time. A batch is a transaction that decides many claims. */
  batches: number;
  /** The most claims in a batch. */
  batch: number;
  /** How many looks may run at the same time. A look reads, without a lock, which jobs are full. */
  looks: number;
  /**
   * How many transactions may wait at the same time for jobs that other sessions have locked. Each
   * transaction waits for one job.
   */
  lines: number;
  /** How many claims may be unanswered. The queue refuses any further claim at once. */
  waiting: number;
  /** How long a claim may wait for its transaction to begin. */
  waitMs: number;
  /** How long a claim may wait for its answer after its transaction has begun. */
  answerMs: number;
}

/**
 * A claim that waits to be decided together with others. Ten thousand claims may wait, so each must
 * use little memory.
 */
export interface Waiting extends Claiming {
  /** The time at which the claim came, in milliseconds of `performance.now`. */
  since: number;
  answered: boolean;
  resolve: (settled: Settled) => void;
  reject: (error: unknown) => void;
}

export const waitingFor = (
  { request, keyed }: Claiming,
  resolve: Waiting['resolve'],
  reject: Waiting['reject'],
): Waiting => ({
  request,
  keyed,
  since: performance.now(),
  answered: false,
  resolve,
  reject,
});

export const isUnanswered = ({ answered }: Waiting) => !answered;
export const jobsOf = (batch: Waiting[]) => new Set(batch.map(({ request }) => request.jobId));

/** The line of claims that wait for a job. Adds an empty line to the map if the job has no line. */
export function lineOf(map: Map<bigint, Waiting[]>, jobId: bigint): Waiting[] {
  const line = map.get(jobId) ?? [];
  map.set(jobId, line);
  return line;
}

/**
 * Moves the waiting claims of a job from one map to another. Claims with an idempotency key are not
 * moved.
 */
export function moveUnkeyed(
  from: Map<bigint, Waiting[]>,
  to: Map<bigint, Waiting[]>,
  jobId: bigint,
) {
  const line = from.get(jobId);
  if (!line) return;
  const others = line.filter(({ keyed }) => !keyed);
  from.set(
    jobId,
    line.filter(({ keyed }) => keyed),
  );
  lineOf(to, jobId).push(...others);
}

/**
 * Removes and returns the claims of the next transaction, at most `limit`. The job that has waited
 * longest comes first. Skips the jobs in `taken`, and adds the jobs of the batch to `taken`.
 */
export function takeBatch(
  lines: Map<bigint, Waiting[]>,
  taken: Set<bigint>,
  limit: number,
): Waiting[] {
  const batch: Waiting[] = [];
  for (const [jobId, line] of lines) {
    if (taken.has(jobId)) continue;
    const left = line.filter(isUnanswered);
    const some = left.splice(0, limit - batch.length);
    if (left.length === 0) lines.delete(jobId);
    else lines.set(jobId, left);
    if (some.length > 0) taken.add(jobId);
    batch.push(...some);
    if (batch.length >= limit) break;
  }
  return batch;
}

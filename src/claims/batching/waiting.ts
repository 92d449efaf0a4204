import type { Claiming, Settled } from './group-commit.ts';

export interface QueueLimits {
  /** Transactions at once that decide claims of many jobs. */
  batches: number;
  /** The most claims that such a transaction takes. */
  batch: number;
  /** Statements at once that look for refusals. */
  looks: number;
  /** Transactions at once that wait for a job's lock while another session holds the lock. */
  lines: number;
  /** Claims that may wait. The queue turns away any other claim at once. */
  waiting: number;
  /** How long a claim waits for its transaction to begin. */
  waitMs: number;
  /** How long a claim waits for its answer once its transaction has begun. */
  answerMs: number;
}

/** A claim that waits to be decided with others. Ten thousand may wait, so each holds little memory. */
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

/** The claims that wait for a job, in the order in which they came. An empty line if there are none. */
export function lineOf(map: Map<bigint, Waiting[]>, jobId: bigint): Waiting[] {
  const line = map.get(jobId) ?? [];
  map.set(jobId, line);
  return line;
}

/** Moves the claims that wait for a job to another line of the job. Claims with a key stay. */
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
 * Takes out the claims of the next transaction, at most `limit`. The job that has waited longest comes
 * first. Skips jobs that are `taken`, and marks the jobs of the batch as taken.
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

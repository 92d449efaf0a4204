import type { Claiming, Settled } from './group-commit.ts';

export interface QueueLimits {
  /** Transactions at once that decide claims of many jobs. */
  batches: number;
  /** The most claims that such a transaction takes. */
  batch: number;
  /** Statements at once that look for refusals. */
  looks: number;
  /** Transactions at once that wait for the lock of a job that another session has. */
  lines: number;
  /** Claims that may wait; past that they are turned away at once. */
  waiting: number;
  /** How long a claim waits for its transaction to begin. */
  waitMs: number;
  /** How long an answer is waited for once it has begun. */
  answerMs: number;
}

/** A claim that waits to be decided with others. */
export interface Waiting extends Claiming {
  /** When it came, in milliseconds of `performance.now`. */
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
  ...{ request, keyed, resolve, reject },
  ...{ since: performance.now(), answered: false },
});

export const isUnanswered = ({ answered }: Waiting) => !answered;
export const jobsOf = (batch: Waiting[]) => new Set(batch.map(({ request }) => request.jobId));

/** The line of a job, in the order in which they came; a new one if need be. */
export function lineOf(map: Map<bigint, Waiting[]>, jobId: bigint): Waiting[] {
  const line = map.get(jobId) ?? [];
  map.set(jobId, line);
  return line;
}

/** Moves those who wait for a job to another of its lines; who has a key keeps his place. */
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
 * Takes out the claims of the next transaction, and marks their jobs as `taken`: at most `limit`, of
 * jobs that are not taken, the job that has waited longest first.
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

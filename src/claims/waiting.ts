import type { Claiming, Settled } from './group-commit.ts';

/** A claim that waits to be decided with others. */
export interface Waiting extends Claiming {
  since: number;
  /** A transaction is deciding it: it is too late to give up. */
  running: boolean;
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
  ...{ since: Date.now(), running: false, answered: false },
});

export const isUnanswered = ({ answered }: Waiting) => !answered;
export const jobsOf = (batch: Waiting[]) => new Set(batch.map(({ request }) => request.jobId));

/** The line of a job, in the order in which they came; a new one if need be. */
export function lineOf(map: Map<bigint, Waiting[]>, jobId: bigint): Waiting[] {
  const line = map.get(jobId) ?? [];
  map.set(jobId, line);
  return line;
}

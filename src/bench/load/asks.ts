/** The requests of a crowd, as an order for the process that makes the load. */
export type Asks =
  | { kind: 'path'; path: string }
  /** The next recruiter claims the same job. */
  | { kind: 'one-job'; jobId: number }
  /**
   * Each request is another pair of a job and a recruiter. Ends after `slots` requests for each
   * job.
   */
  | { kind: 'spread'; firstJob: number; jobs: number; slots?: number }
  /** Each request names the next job, and another recruiter who does not exist. */
  | { kind: 'no-recruiter'; firstJob: number; jobs: number }
  /** Each request names another job that does not exist. */
  | { kind: 'no-job' };

/** How many recruiters there are. A prime, so that different recruiters come to each job. */
export const RECRUITERS = 10_007;
/**
 * The step from one job to the next. It has no factor in common with a power of ten, so every job
 * comes once before any job comes again.
 */
export const STRIDE = 61_803;
/** The largest id that the service accepts. No row has an id near it. */
const LARGEST_ID = 2n ** 63n - 1n;

/** The path of request number `n`, beginning at 0. Undefined after the last request. */
export function pathOf(asks: Asks, n: number): string | undefined {
  switch (asks.kind) {
    case 'path':
      return asks.path;
    case 'one-job':
      return claimPath(asks.jobId, recruiterOf(n));
    case 'spread': {
      if (n >= asks.jobs * (asks.slots ?? Number.POSITIVE_INFINITY)) return undefined;
      return claimPath(jobOf(asks, n), recruiterOf(n));
    }
    case 'no-recruiter':
      return claimPath(jobOf(asks, n), nobody(n));
    case 'no-job':
      return claimPath(nobody(n), recruiterOf(n));
  }
}

const jobOf = ({ firstJob, jobs }: { firstJob: number; jobs: number }, n: number): number =>
  firstJob + ((n * STRIDE) % jobs);

const recruiterOf = (n: number): number => 1 + (n % RECRUITERS);
const nobody = (n: number): bigint => LARGEST_ID - BigInt(n);

const claimPath = (jobId: number | bigint, recruiterId: number | bigint): string =>
  `/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`;

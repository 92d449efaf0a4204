/** The requests of a crowd. A separate process plays the crowd. */
export type Asks =
  | { kind: 'path'; path: string }
  /** All requests claim the same job, each request for the next recruiter. */
  | { kind: 'one-job'; jobId: number }
  /**
   * Each request claims the next job for the next recruiter. After `slots` requests for each job,
   * the crowd stops. Without `slots`, the crowd does not stop.
   */
  | { kind: 'spread'; firstJob: number; jobs: number; slots?: number }
  /** Each request names the next job, and a new recruiter id that no row has. */
  | { kind: 'no-recruiter'; firstJob: number; jobs: number }
  /** Each request names a new job id that no row has. */
  | { kind: 'no-job' };

/**
 * The number of recruiters. The number is prime, so it shares no factor with the number of jobs.
 * Therefore each claim on a job comes from a different recruiter.
 */
export const RECRUITERS = 10_007;
/**
 * The step from one job to the next. `STRIDE` = 3^4 * 7 * 109 shares no factor with the number of
 * jobs of any scenario. Therefore each job is claimed once before a job is claimed again.
 */
export const STRIDE = 61_803;
/** The largest id that the service accepts. No row has an id near this number. */
const LARGEST_ID = 2n ** 63n - 1n;

/** Returns the path of request number `n`, from 0. Returns undefined after the last request. */
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

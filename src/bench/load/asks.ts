/** What a crowd asks for, told to the process that makes the load. */
export type Asks =
  | { kind: 'path'; path: string }
  /** The next recruiter claims the same job. */
  | { kind: 'one-job'; jobId: number }
  /** Each request is another pair of a job and a recruiter; ends where each job had `slots` of them. */
  | { kind: 'spread'; firstJob: number; jobs: number; slots?: number }
  /** Each request names another recruiter who does not exist, and the next job. */
  | { kind: 'no-recruiter'; firstJob: number; jobs: number }
  /** Each request names another job that does not exist. */
  | { kind: 'no-job' };

/** A prime, so that the recruiters who come to a job are different ones. */
export const RECRUITERS = 10_007;
/** Has no factor in common with powers of ten, so every job comes before any comes again. */
export const STRIDE = 61_803;
/** The largest id that the service takes: no row has an id near it. */
const LARGEST_ID = 2n ** 63n - 1n;

/** The path of request number `n`, from 0; undefined when nothing is left to ask for. */
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

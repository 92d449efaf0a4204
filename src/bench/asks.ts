/** What a crowd asks for, told to the process that makes the load. */
export type Asks =
  | { kind: 'path'; path: string }
  /** The next recruiter claims the same job. */
  | { kind: 'one-job'; jobId: number }
  /** Each request is another pair of a job and a recruiter; ends where each job had `slots` of them. */
  | { kind: 'spread'; firstJob: number; jobs: number; slots?: number };

/** A prime, so that the recruiters who come to a job are different ones. */
export const RECRUITERS = 10_007;
/** Has no factor in common with powers of ten, so every job comes before any comes again. */
export const STRIDE = 61_803;

/** The path of request number `n`, from 0; undefined when nothing is left to ask for. */
export function pathOf(asks: Asks, n: number): string | undefined {
  switch (asks.kind) {
    case 'path':
      return asks.path;
    case 'one-job':
      return claimPath(asks.jobId, recruiterOf(n));
    case 'spread': {
      if (n >= asks.jobs * (asks.slots ?? Number.POSITIVE_INFINITY)) return undefined;
      return claimPath(asks.firstJob + ((n * STRIDE) % asks.jobs), recruiterOf(n));
    }
  }
}

const recruiterOf = (n: number): number => 1 + (n % RECRUITERS);

const claimPath = (jobId: number, recruiterId: number): string =>
  `/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`;

import type { ClaimSituation } from './situations.ts';

/** The end of each lease. It lies far in the future, so no lease ends in a schedule. */
export const END_OF_LEASES = '2100-01-01 00:00:00+00';

/** A job before the first step. */
export interface BoardJob {
  id: bigint;
  company: bigint;
  capacity: number;
  /** The recruiters who hold the job. */
  holders: readonly bigint[];
  /** A holder whose claim has a lease. The other claims have none. */
  leaseholder?: bigint;
}

/** The jobs of a situation, and the recruiters who ask. */
export interface Board {
  /** The jobs that the sessions claim: session 1 the first job, session 2 the next, and so on. */
  claimed: readonly [BoardJob, ...BoardJob[]];
  /** The recruiters who ask for a job, in the order in which the situation numbers them. */
  askers: readonly bigint[];
  /** The jobs that nobody claims in a schedule. Their rows must not change. */
  others: readonly BoardJob[];
}

/** Returns `count` ids, each `step` larger than the one before. */
const ids = (first: number, count: number, step = 1): bigint[] =>
  Array.from({ length: count }, (_, index) => BigInt(first + index * step));

/** The job in every situation but those with large ids. */
export const JOB = 1n;
const COMPANY = 1n;
const ASKERS = ids(1, 100);
const FIRST_HOLDER = 101;
/** A strategy that forgets the condition on the job also counts or changes this second, full job. */
const FULL_JOB: BoardJob = { id: 2n, company: COMPANY, capacity: 4, holders: ids(191, 4) };

function smallBoard({ capacity, taken, isOnlyJob, hasTwoJobs }: ClaimSituation): Board {
  const job = { id: JOB, company: COMPANY, capacity, holders: ids(FIRST_HOLDER, taken) };
  if (!hasTwoJobs) return { claimed: [job], askers: ASKERS, others: isOnlyJob ? [] : [FULL_JOB] };
  // Recruiter 1 claims job 2, and recruiter 2 claims job 1. If a strategy uses the ids of jobs and
  // recruiters for the same locks, the two sessions wait for each other.
  const another = { ...job, id: 2n, holders: ids(FIRST_HOLDER + taken, taken) };
  return { claimed: [another, job], askers: ASKERS, others: [{ ...FULL_JOB, id: 3n }] };
}

/** More than 2^31, so it fits only into a `bigint`. */
export const LARGE_JOB = 3_000_000_019n;
/** The first is more than 2^53, so a number of JavaScript cannot hold it. The others lie apart. */
const LARGE_ASKERS = [9_007_199_254_740_993n, 777n, 4_200_000_123n, 555_555n, 31n];

/**
 * A board as in life. No job, company or recruiter has the id of another one. The first
 * two askers hold other jobs. Some jobs are full, some half full, and some empty. Some claims have a lease.
 */
function largeBoard({ capacity, taken }: ClaimSituation): Board {
  const [first = 0n, second = 0n] = LARGE_ASKERS;
  const holders = ids(1_000, taken, 37);
  return {
    claimed: [{ id: LARGE_JOB, company: 42n, capacity, holders, leaseholder: 1_000n }],
    askers: LARGE_ASKERS,
    others: [
      { id: 8n, company: 42n, capacity: 5, holders: [first, 1_000n], leaseholder: first },
      { id: LARGE_JOB - 1n, company: 77n, capacity: 1, holders: [second] },
      { id: LARGE_JOB + 1n, company: 42n, capacity: 12, holders: [] },
    ],
  };
}

export const boardOf = (situation: ClaimSituation): Board =>
  situation.hasLargeIds ? largeBoard(situation) : smallBoard(situation);

/** Returns the number of a recruiter among the askers, from 1. Undefined if the recruiter is none. */
export function askerNumberOf(recruiter: bigint): number | undefined {
  const large = LARGE_ASKERS.indexOf(recruiter);
  if (large >= 0) return large + 1;
  return recruiter < BigInt(FIRST_HOLDER) ? Number(recruiter) : undefined;
}

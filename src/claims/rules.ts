/** More than four recruiters make the job worthless to each of them. */
export const DEFAULT_CAPACITY = 4;

export interface ClaimRequest {
  jobId: bigint;
  recruiterId: bigint;
  /** The claim ends by itself after so many seconds. Without a lease the claim stays. */
  leaseSeconds?: number;
}

export interface Claim {
  id: bigint;
  jobId: bigint;
  recruiterId: bigint;
  createdAt: Date;
  /** When the lease ends by the database's clock; null for a claim that stays. */
  expiresAt: Date | null;
}

/** How many slots a job has, how many are claimed, and how many remain (never below 0). */
export interface Slots {
  capacity: number;
  claimed: number;
  remaining: number;
}

export const slotsOf = (capacity: number, claimed: number): Slots => ({
  capacity,
  claimed,
  remaining: Math.max(0, capacity - claimed),
});

/**
 * Whether a claim may take a slot. This is the only definition: the claims under the lock use it,
 * and so do the refusals without the lock.
 */
export const isSlotFree = ({ remaining }: Slots): boolean => remaining > 0;

/** Every answer that a claim can get. `busy`: nothing was claimed. `unknown`: nobody can tell yet. */
export type Outcome =
  | { kind: 'claimed'; claim: Claim; slots: Slots }
  | { kind: 'duplicate'; slots?: Slots }
  | { kind: 'full'; slots: Slots }
  | { kind: 'no-such-job' }
  | { kind: 'no-such-recruiter' }
  | { kind: 'busy' }
  | { kind: 'unknown' };

export type Decision =
  | { kind: 'granted'; slots: Slots }
  | { kind: 'duplicate'; slots: Slots }
  | { kind: 'full'; slots: Slots };

/** The holders of a job as one recruiter sees them: how many, and whether he is one of them. */
export interface Holders {
  claimed: number;
  held: boolean;
}

/**
 * Decides what this recruiter may do with this job. The decision holds only while nobody else can
 * change the holders, so ask under the lock. `slots` are the slots after the decision.
 *
 * The duplicate comes before the capacity. A holder who asks again for a full job is told that the
 * job is already theirs, which is what they want to know.
 */
export function decide({ capacity }: { capacity: number }, { claimed, held }: Holders): Decision {
  const slots = slotsOf(capacity, claimed);
  if (held) return { kind: 'duplicate', slots };
  if (!isSlotFree(slots)) return { kind: 'full', slots };
  return { kind: 'granted', slots: slotsOf(capacity, claimed + 1) };
}

/** A job, and the recruiters who hold it. */
export interface HeldJob {
  capacity: number;
  recruiters: Set<bigint>;
  /** Claims that no longer count are still in the table. */
  expired: boolean;
}

export const asSeenBy = (
  recruiterId: bigint,
  { recruiters }: Pick<HeldJob, 'recruiters'>,
): Holders => ({ claimed: recruiters.size, held: recruiters.has(recruiterId) });

/**
 * Decides these requests in the order in which they came. A granted request counts for the requests
 * after it. The decisions hold only under the locks of all these jobs. `absent`: a slot is free, but
 * the recruiter is not among `recruiters`, so the slot stays free. `jobs` is left unchanged.
 */
export function decideInOrder(
  requests: readonly ClaimRequest[],
  jobs: ReadonlyMap<bigint, HeldJob>,
  recruiters: ReadonlySet<bigint>,
): (Decision | { kind: 'no-such-job' } | { kind: 'absent' })[] {
  const holders = new Map([...jobs].map(([id, job]) => [id, new Set(job.recruiters)]));
  return requests.map(({ jobId, recruiterId }) => {
    const job = jobs.get(jobId);
    const held = holders.get(jobId);
    if (!job || !held) return { kind: 'no-such-job' };
    const decision = decide(job, asSeenBy(recruiterId, { recruiters: held }));
    if (decision.kind !== 'granted') return decision;
    if (!recruiters.has(recruiterId)) return { kind: 'absent' };
    held.add(recruiterId);
    return decision;
  });
}

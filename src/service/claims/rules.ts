/** If more than four recruiters hold a job, the job is worthless to each of them. */
export const DEFAULT_CAPACITY = 4;

export interface ClaimRequest {
  jobId: bigint;
  recruiterId: bigint;
  /** The claim ends by itself after this many seconds. If absent, the claim has no lease. */
  leaseSeconds?: number;
}

export interface Claim {
  id: bigint;
  jobId: bigint;
  recruiterId: bigint;
  createdAt: Date;
  /** When the lease ends, by the database's clock. Null for a claim without a lease. */
  expiresAt: Date | null;
}

/** A claim that was read later. An offer is a claim that its recruiter has not accepted yet. */
export interface FoundClaim extends Claim {
  isOffer: boolean;
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
 * Returns whether a claim may take a slot. Claims under the lock and refusals without the lock both
 * use this function.
 */
export const isSlotFree = ({ remaining }: Slots): boolean => remaining > 0;

/**
 * The possible outcomes of a claim. `busy`: nothing was claimed. `unknown`: we do not know whether
 * the job was claimed.
 */
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

/** How many recruiters hold a job, and whether a certain recruiter is one of them. */
export interface Holders {
  claimed: number;
  held: boolean;
}

/**
 * Decides whether this recruiter may have a slot of this job. `granted` is valid only while nobody
 * else can change the holders, so a grant needs the lock. `slots` are the slots after the decision.
 *
 * We check for a duplicate before we check the capacity. A holder who claims a full job again wants
 * to know that they already have a slot.
 */
export function decide({ capacity }: { capacity: number }, { claimed, held }: Holders): Decision {
  const slots = slotsOf(capacity, claimed);
  if (held) return { kind: 'duplicate', slots };
  if (!isSlotFree(slots)) return { kind: 'full', slots };
  return { kind: 'granted', slots: slotsOf(capacity, claimed + 1) };
}

/** The capacity of a job, and the recruiters with a live claim. */
export interface HeldJob {
  capacity: number;
  recruiters: Set<bigint>;
  /** Whether the table still contains expired claims of this job. */
  expired: boolean;
  /** Whether a recruiter waits for this job. */
  hasLine: boolean;
}

/** Returns how many slots the line of a job gets now. A newcomer gets no slot before the line. */
export const slotsForLine = ({ capacity, recruiters, hasLine }: HeldJob): number =>
  hasLine ? slotsOf(capacity, recruiters.size).remaining : 0;

export const asSeenBy = (
  recruiterId: bigint,
  { recruiters }: Pick<HeldJob, 'recruiters'>,
): Holders => ({ claimed: recruiters.size, held: recruiters.has(recruiterId) });

/**
 * Decides these requests one after the other. The slot of a granted request is not free for later
 * requests. The decisions are valid only under the locks of all these jobs. `absent` means that a
 * slot is free, but the recruiter is not among `recruiters`. The slot then stays free. Does not
 * change `jobs`.
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

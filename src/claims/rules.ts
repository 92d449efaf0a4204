/** More than four recruiters make the job worthless to each of them. */
export const DEFAULT_CAPACITY = 4;

export interface ClaimRequest {
  jobId: bigint;
  recruiterId: bigint;
  /** After so many seconds the claim ends by itself; without it the claim stays. */
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

/** The holders of a job as one of the recruiters sees them: how many, and whether he is one. */
export interface Holders {
  claimed: number;
  held: boolean;
}

/**
 * What this recruiter may do with this job. True only while nobody else can change the holders,
 * so ask under the lock. `slots` are those after the decision.
 *
 * The duplicate is judged before the capacity: a holder who asks again for a full job is told
 * that the job is already theirs, which is what they want to know.
 */
export function decide({ capacity }: { capacity: number }, { claimed, held }: Holders): Decision {
  const slots = slotsOf(capacity, claimed);
  if (held) return { kind: 'duplicate', slots };
  if (slots.remaining === 0) return { kind: 'full', slots };
  return { kind: 'granted', slots: slotsOf(capacity, claimed + 1) };
}

/** Who holds a job. `expired`: claims that no longer count are still in the table. */
export interface JobHolders {
  recruiters: Set<bigint>;
  expired: boolean;
}

export const asSeenBy = (
  recruiterId: bigint,
  { recruiters }: Pick<JobHolders, 'recruiters'>,
): Holders => ({ claimed: recruiters.size, held: recruiters.has(recruiterId) });

export const noHolders = (): JobHolders => ({ recruiters: new Set(), expired: false });

/**
 * What each of these requests may do, in the order in which they came: one that is granted counts
 * for those after it. True only under the locks of all these jobs. `absent`: a slot is free, and the
 * recruiter is not among `recruiters`, so the slot stays free. `holders` is left as it is.
 */
export function decideInOrder(
  requests: readonly ClaimRequest[],
  jobs: ReadonlyMap<bigint, { capacity: number }>,
  holders: ReadonlyMap<bigint, JobHolders>,
  recruiters: ReadonlySet<bigint>,
): (Decision | { kind: 'no-such-job' } | { kind: 'absent' })[] {
  const after = new Map([...holders].map(([id, { recruiters }]) => [id, new Set(recruiters)]));
  return requests.map(({ jobId, recruiterId }) => {
    const job = jobs.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const held = after.get(jobId) ?? new Set();
    after.set(jobId, held);
    const decision = decide(job, asSeenBy(recruiterId, { recruiters: held }));
    if (decision.kind !== 'granted') return decision;
    if (!recruiters.has(recruiterId)) return { kind: 'absent' };
    held.add(recruiterId);
    return decision;
  });
}

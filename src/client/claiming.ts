import type { Done, Problem } from './call.ts';
import type { Rowlock } from './client.ts';
import type { FollowedJobs, HeldClaim } from './follow/follow.ts';
import type { FollowStatus } from './follow/stream.ts';
import { HeldClaims } from './held.ts';
import type { Id, Job } from './operations.generated.ts';

/** A job as a recruiter sees it. */
export interface JobToClaim extends Job {
  /** The claim of the recruiter. Undefined if the recruiter does not hold the job. */
  claim: HeldClaim | undefined;
  /** Whether a request about the job waits for its answer. The job shows the expected result. */
  isPending: boolean;
  /**
   * The reason why the last request was refused. The problem `job-full` disappears when one more
   * slot is free.
   */
  problem: Problem | undefined;
}

export interface JobsToClaim {
  jobs: readonly JobToClaim[];
  /** Whether the jobs and the claims are up to date. */
  status: FollowStatus;
  /**
   * The reason why the service refuses to send the jobs or the claims. Present only if the status
   * is `refused`.
   */
  problem: Problem | undefined;
}

/** The answer to a request. */
type AnyAnswer = Done<unknown> | Problem;

type State = Pick<JobsToClaim, 'status' | 'problem'>;

/** The change that the recruiter wants: a claim of a job, or the release of the claim. */
type Wish =
  | { name: 'claim'; leaseSeconds: number | undefined }
  | { name: 'release'; leaseSeconds?: undefined };
const RELEASE: Wish = { name: 'release' };

/**
 * Compares two wishes. A page may compute its lease as NaN, and `===` never finds NaN equal to NaN.
 */
const isSame = (one: Wish | undefined, other: Wish): boolean =>
  one?.name === other.name && Object.is(one.leaseSeconds, other.leaseSeconds);

/**
 * Returns the next request for the wish. A renewal changes the end of a lease. But a renewal can
 * neither add a lease to a claim nor remove the lease. If the wish adds or removes a lease, the
 * client releases the claim first, and then claims the job again.
 */
const stepTo = (wish: Wish, held: HeldClaim | undefined): Wish => {
  if (!held || wish.name === 'release') return wish;
  return (held.expiresAt === null) === (wish.leaseSeconds === undefined) ? wish : RELEASE;
};

/**
 * The requests about a job, from a call of `claim` or `release` until the latest wish is answered.
 */
interface Pursuit {
  wish: Wish;
  ended?: Promise<void>;
}

/**
 * The time for which a granted claim is shown if the live stream does not send the claim. Usually,
 * a live stream sends a claim much sooner.
 */
const LATE_MS = 5_000;

/**
 * Keeps the jobs that a recruiter may claim up to date. A claim or a release is shown immediately,
 * and the change is taken back if the service refuses the request. A person may release a claim
 * before the service has answered the claim. The client then sends the release after the answer,
 * because only the answer has the id of the claim.
 */
export class Claiming {
  readonly #rowlock: Rowlock;
  readonly #recruiterId: Id;
  readonly #listeners = new Set<() => void>();
  readonly #stops: (() => void)[];
  /** The running timers of `LATE_MS`. */
  readonly #late = new Set<ReturnType<typeof setTimeout>>();
  readonly #held = new HeldClaims();
  readonly #pursuits = new Map<Id, Pursuit>();
  readonly #problems = new Map<Id, Problem>();
  #jobs: ReadonlyMap<Id, Job> = new Map();
  /**
   * The number of claimed slots that the recruiter's wishes add to the latest state from the
   * stream.
   */
  readonly #added = new Map<Id, number>();
  /**
   * The states of the two streams. The first stream sends the jobs, and the second sends the
   * claims.
   */
  readonly #states: State[] = [];
  #shown: JobsToClaim | undefined;

  constructor(rowlock: Rowlock, what: FollowedJobs, recruiterId: Id) {
    this.#rowlock = rowlock;
    this.#recruiterId = recruiterId;
    this.#stops = [
      rowlock.followJobs(what, {
        onStatus: (status, problem) => this.#setState(0, { status, problem }),
        onJobs: (jobs, changed) => {
          for (const id of changed) {
            this.#added.delete(id);
            // The event may be older than the refusal. So the job is surely open again only if the
            // event has more free slots than the previous event.
            const [before, now] = [this.#jobs.get(id), jobs.get(id)];
            const isOpen = before && now && now.remaining > before.remaining;
            if (isOpen && this.#problems.get(id)?.code === 'job-full') this.#problems.delete(id);
          }
          this.#jobs = jobs;
          this.#change();
        },
      }),
      rowlock.followJobs(
        { mine: recruiterId },
        {
          onStatus: (status, problem) => {
            this.#setState(1, { status, problem });
            if (status === 'live') this.#expectNews();
          },
          onClaims: (claims, changed) => {
            this.#held.tell(claims, changed);
            this.#change();
          },
        },
      ),
    ];
  }

  /** Calls the listener after each change. Returns a function that ends the calls. */
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Returns the present state. Until the next change, this is always the same object. */
  readonly get = (): JobsToClaim => {
    this.#shown ??= {
      jobs: [...this.#jobs.values()].map((job) => this.#asShown(job)),
      ...this.#state(),
    };
    return this.#shown;
  };

  /**
   * Claims the job. With `leaseSeconds`, the claim ends by itself. If several calls come before the
   * answer, the last call decides the lease.
   */
  readonly claim = (jobId: Id, leaseSeconds?: number): Promise<void> =>
    this.#want(jobId, { name: 'claim', leaseSeconds });

  /** Releases the recruiter's claim on the job. */
  readonly release = (jobId: Id): Promise<void> => this.#want(jobId, RELEASE);

  stop() {
    for (const stop of this.#stops) stop();
    for (const timer of this.#late) clearTimeout(timer);
    this.#listeners.clear();
  }

  /**
   * Shows the wish immediately. The promise resolves when the latest wish about the job is
   * answered.
   */
  #want(jobId: Id, wish: Wish): Promise<void> {
    const pursuit: Pursuit = this.#pursuits.get(jobId) ?? { wish };
    const before = this.#claimOn(jobId);
    pursuit.wish = wish;
    this.#pursuits.set(jobId, pursuit);
    const added = Number(this.#claimOn(jobId) !== undefined) - Number(before !== undefined);
    this.#added.set(jobId, (this.#added.get(jobId) ?? 0) + added);
    this.#problems.delete(jobId);
    this.#change();
    pursuit.ended ??= this.#pursue(jobId, pursuit);
    return pursuit.ended;
  }

  /**
   * Sends the request for the wish. If the wish changes before the answer, also sends the request
   * for the later wish. After a refusal, sends the later request only if the service may still
   * grant the wish.
   */
  async #pursue(jobId: Id, pursuit: Pursuit) {
    let asked: Wish | undefined;
    let refusal: Problem | undefined;
    try {
      while (
        !isSame(asked, pursuit.wish) &&
        (!refusal || this.#mayBeGranted(jobId, pursuit.wish, asked))
      ) {
        const held = asked && this.#held.on(jobId);
        asked = stepTo(pursuit.wish, held);
        const answer = await this.#ask(jobId, asked, held);
        refusal = answer?.ok ? undefined : answer;
      }
      if (refusal) this.#problems.set(jobId, refusal);
    } finally {
      this.#pursuits.delete(jobId);
      const isHeld = this.#held.on(jobId) !== undefined;
      if (refusal || isHeld !== (pursuit.wish.name === 'claim')) this.#added.delete(jobId);
      this.#change();
    }
  }

  /** Returns whether the service may grant the wish, although it refused the previous request. */
  #mayBeGranted(jobId: Id, wish: Wish, refused: Wish | undefined): boolean {
    const isHeld = this.#held.on(jobId) !== undefined;
    return wish.name === 'release' ? isHeld : refused?.name === 'claim' || !isHeld;
  }

  /**
   * Sends the request for a wish, and returns the answer. `held` is the claim whose lease should
   * change, if there is one.
   */
  async #ask(jobId: Id, wish: Wish, held?: HeldClaim): Promise<AnyAnswer | undefined> {
    if (wish.name === 'release') return this.#release(jobId);
    const { leaseSeconds } = wish;
    if (held && leaseSeconds !== undefined) return this.#renew(held, wish, leaseSeconds);
    const recruiterId = this.#recruiterId;
    const answer = await this.#rowlock.claimJob({ jobId, recruiterId, leaseSeconds });
    if (answer.ok) this.#held.begin(answer.data.claim);
    return answer;
  }

  /** Returns undefined if there is nothing to release. */
  async #release(jobId: Id): Promise<AnyAnswer | undefined> {
    const held = this.#held.on(jobId);
    if (!held) return undefined;
    const answer = await this.#rowlock.releaseClaim({ id: held.id });
    if (answer.ok || answer.code === 'claim-not-found') this.#held.end(held);
    return answer;
  }

  /** Changes the lease, and keeps the slot. Claims the job again if the claim is over. */
  async #renew(held: HeldClaim, wish: Wish, leaseSeconds: number): Promise<AnyAnswer | undefined> {
    const answer = await this.#rowlock.renewClaim({ id: held.id, leaseSeconds });
    if (answer.ok) this.#held.begin(answer.data.claim);
    if (answer.code !== 'claim-not-found') return answer;
    this.#held.end(held);
    return this.#ask(held.jobId, wish);
  }

  /**
   * Called when the stream has sent the full state. After `LATE_MS`, forgets the claims that are
   * still known only from an answer.
   */
  #expectNews() {
    const untold = this.#held.untold();
    if (untold.length === 0) return;
    const timer = setTimeout(() => {
      this.#late.delete(timer);
      this.#held.forget(untold);
      this.#change();
    }, LATE_MS);
    this.#late.add(timer);
  }

  #setState(stream: 0 | 1, state: State) {
    this.#states[stream] = state;
    this.#change();
  }

  /**
   * Returns the state of a stream that is not live, if there is such a stream. A refused stream
   * comes first, because a refusal is final.
   */
  #state(): State {
    const behind = this.#states.filter(({ status }) => status !== 'live');
    const refused = behind.find(({ status }) => status === 'refused');
    return refused ?? behind[0] ?? { status: 'live', problem: undefined };
  }

  #asShown(job: Job): JobToClaim {
    const claim = this.#claimOn(job.id);
    // The latest event may not count our claim yet. So the count is at least one.
    const least = claim ? 1 : 0;
    const expected = Math.max(least, job.claimed + (this.#added.get(job.id) ?? 0));
    const claimed = Math.min(job.capacity, expected);
    return {
      ...job,
      claimed,
      remaining: job.capacity - claimed,
      claim,
      isPending: this.#pursuits.has(job.id),
      problem: this.#problems.get(job.id),
    };
  }

  /** Returns the claim that the recruiter has, or will have if the service grants the wish. */
  #claimOn(jobId: Id): HeldClaim | undefined {
    const wish = this.#pursuits.get(jobId)?.wish;
    if (wish?.name === 'release') return undefined;
    const held = this.#held.on(jobId);
    if (held || !wish) return held;
    // The service has not answered yet, so the id and the end of the lease are unknown.
    return { id: 0, jobId, recruiterId: this.#recruiterId, expiresAt: null };
  }

  #change() {
    this.#shown = undefined;
    for (const listener of this.#listeners) listener();
  }
}

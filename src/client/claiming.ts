import type { Problem } from './call.ts';
import type { Rowlock } from './client.ts';
import type { FollowedJobs, HeldClaim } from './follow/follow.ts';
import type { FollowStatus } from './follow/stream.ts';
import type { Id, Job } from './operations.ts';

/** A job as a recruiter sees it. */
export interface JobToClaim extends Job {
  /** The claim of the recruiter. Undefined if the recruiter does not hold the job. */
  claim: HeldClaim | undefined;
  /** Whether a request about the job is under way. Its result is shown already. */
  isPending: boolean;
  /** Why the last request about the job was refused. `job-full` ends when a slot is free again. */
  problem: Problem | undefined;
}

export interface JobsToClaim {
  jobs: readonly JobToClaim[];
  /** Whether the jobs and the claims are up to date. */
  status: FollowStatus;
  /** Why the service refuses to tell the jobs or the claims. It comes with the status `refused`. */
  problem: Problem | undefined;
}

type State = Pick<JobsToClaim, 'status' | 'problem'>;

/** What the recruiter has asked for. It is shown until the streams tell the same. */
interface Act {
  name: 'claim' | 'release';
  isAnswered: boolean;
  /** The claim that the service has answered. */
  claim?: HeldClaim;
}

/** The streams tell the result of a request much sooner, or the claim is over again already. */
const LATE_MS = 5_000;

/**
 * The jobs that a recruiter may claim, kept up to date. A claim or a release is shown at once, and is
 * taken back if the service refuses the request.
 */
export class Claiming {
  readonly #rowlock: Rowlock;
  readonly #recruiterId: Id;
  readonly #listeners = new Set<() => void>();
  readonly #stops: (() => void)[];
  #jobs: ReadonlyMap<Id, Job> = new Map();
  #claims: ReadonlyMap<Id, HeldClaim> = new Map();
  /** The states of the two streams: of the jobs, and of the claims. */
  readonly #states: State[] = [];
  readonly #acts = new Map<Id, Act>();
  readonly #problems = new Map<Id, Problem>();
  #shown: JobsToClaim | undefined;

  constructor(rowlock: Rowlock, what: FollowedJobs, recruiterId: Id) {
    this.#rowlock = rowlock;
    this.#recruiterId = recruiterId;
    const onStatusOf = (stream: number) => (status: FollowStatus, problem?: Problem) => {
      this.#states[stream] = { status, problem };
      this.#change();
    };
    this.#stops = [
      rowlock.followJobs(what, {
        onStatus: onStatusOf(0),
        onJobs: (jobs, changed) => {
          this.#jobs = jobs;
          for (const id of changed) {
            this.#settle(id);
            if (jobs.get(id)?.remaining) this.#forgetFull(id);
          }
          this.#change();
        },
      }),
      rowlock.followJobs(
        { mine: recruiterId },
        {
          onStatus: onStatusOf(1),
          onClaims: (claims) => {
            this.#claims = new Map([...claims.values()].map((claim) => [claim.jobId, claim]));
            for (const id of this.#acts.keys()) this.#settle(id);
            this.#change();
          },
        },
      ),
    ];
  }

  /** Calls the listener after each change. The result is a function that stops this. */
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The present state. The same object until the next change. */
  readonly get = (): JobsToClaim => {
    this.#shown ??= {
      jobs: [...this.#jobs.values()].map((job) => this.#asShown(job)),
      ...this.#state(),
    };
    return this.#shown;
  };

  /** Claims the job. With `leaseSeconds`, the claim ends by itself. */
  readonly claim = (jobId: Id, leaseSeconds?: number): Promise<void> =>
    this.#act(jobId, 'claim', () =>
      this.#rowlock.claimJob({ jobId, recruiterId: this.#recruiterId, leaseSeconds }),
    );

  /** Releases the recruiter's claim on the job. */
  readonly release = (jobId: Id): Promise<void> => {
    const held = this.#claims.get(jobId) ?? this.#acts.get(jobId)?.claim;
    if (!held) return Promise.resolve();
    return this.#act(jobId, 'release', () => this.#rowlock.releaseClaim({ id: held.id }));
  };

  stop() {
    for (const stop of this.#stops) stop();
    this.#listeners.clear();
  }

  async #act(
    jobId: Id,
    name: Act['name'],
    ask: () => Promise<{ ok: true; data: { claim: HeldClaim } } | Problem>,
  ) {
    // A second press while the first request is under way has nothing to add.
    if (this.#acts.get(jobId)?.isAnswered === false) return;
    const act: Act = { name, isAnswered: false };
    this.#acts.set(jobId, act);
    this.#problems.delete(jobId);
    this.#change();
    const answer = await ask();
    if (answer.ok) {
      act.isAnswered = true;
      if (name === 'claim') act.claim = answer.data.claim;
      this.#settle(jobId);
      setTimeout(() => this.#forget(jobId, act), LATE_MS);
    } else {
      this.#acts.delete(jobId);
      this.#problems.set(jobId, answer);
    }
    this.#change();
  }

  /** Forgets an act as soon as the streams show its result. */
  #settle(jobId: Id) {
    const act = this.#acts.get(jobId);
    if (act?.isAnswered && this.#claims.has(jobId) === (act.name === 'claim'))
      this.#acts.delete(jobId);
  }

  /** The job has a free slot again, so the refusal would mislead. */
  #forgetFull(jobId: Id) {
    if (this.#problems.get(jobId)?.code === 'job-full') this.#problems.delete(jobId);
  }

  #forget(jobId: Id, act: Act) {
    if (this.#acts.get(jobId) !== act) return;
    this.#acts.delete(jobId);
    this.#change();
  }

  /** The state of the stream that tells less. A refusal is final, so a refusal comes first. */
  #state(): State {
    const behind = this.#states.filter(({ status }) => status !== 'live');
    const refused = behind.find(({ status }) => status === 'refused');
    return refused ?? behind[0] ?? { status: 'live', problem: undefined };
  }

  #asShown(job: Job): JobToClaim {
    const act = this.#acts.get(job.id);
    const held = this.#claims.get(job.id);
    const claim = act?.name === 'release' ? undefined : (held ?? this.#expected(job.id, act));
    const change = Number(claim !== undefined) - Number(held !== undefined);
    const claimed = Math.min(job.capacity, job.claimed + change);
    return {
      ...job,
      claimed,
      remaining: job.capacity - claimed,
      claim,
      isPending: act?.isAnswered === false,
      problem: this.#problems.get(job.id),
    };
  }

  /** The claim before the service has told its id and the end of its lease. */
  #expected(jobId: Id, act: Act | undefined): HeldClaim | undefined {
    if (act?.name !== 'claim') return undefined;
    return act.claim ?? { id: 0, jobId, recruiterId: this.#recruiterId, expiresAt: null };
  }

  #change() {
    this.#shown = undefined;
    for (const listener of this.#listeners) listener();
  }
}

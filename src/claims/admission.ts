export interface AdmissionLimits {
  /** Claims that talk to the database at once: no more than there are connections. */
  places: number;
  /** Of these, how many may be about one job, so that a held job leaves places to the others. */
  placesPerJob: number;
  /** Claims that may wait; past that they are turned away at once. */
  queue: number;
  /** How long a claim waits for its place. */
  waitMs: number;
  /** How long an answer is waited for once the claim runs. Longer than one statement may take; a
   * claim of several slow ones runs on without it. */
  answerMs: number;
}

/** How long a request takes at most, its place in the queue included. */
export const longestAnswer = ({
  waitMs,
  answerMs,
}: Pick<AdmissionLimits, 'waitMs' | 'answerMs'>): number => waitMs + answerMs;

/** `busy`: it was not run. `unknown`: it runs on, without an answer. */
export type Unanswered = { kind: 'busy' } | { kind: 'unknown' };

interface Waiting {
  jobId: bigint;
  enter: () => void;
}

/**
 * Lets claims to the database in order of arrival, a bounded number at a time. It guards the
 * connections, not the capacity: that is the row lock's, and other servers have queues of their own.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #onLateError: (error: unknown) => void;
  readonly #running = new Map<bigint, number>();
  #places: number;
  #queue: Waiting[] = [];

  /** `onLateError` takes what a claim throws after it was answered as `unknown`. */
  constructor(limits: AdmissionLimits, onLateError: (error: unknown) => void) {
    this.#limits = limits;
    this.#onLateError = onLateError;
    this.#places = limits.places;
  }

  /**
   * Runs the claim once it has a place. `busy` when it got none in time, and was not run; `unknown`
   * when it runs on without an answer, in which case it keeps its place until it ends.
   */
  async run<T>(jobId: bigint, claim: () => Promise<T>): Promise<T | Unanswered> {
    if (!(await this.#place(jobId))) return { kind: 'busy' };
    const result = claim().finally(() => this.#leave(jobId));
    return this.#inTime(result);
  }

  #place(jobId: bigint): Promise<boolean> {
    if (this.#mayEnter(jobId)) {
      this.#enter(jobId);
      return Promise.resolve(true);
    }
    if (this.#queue.length >= this.#limits.queue) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = { jobId, enter: () => settle(true) };
      const timer = setTimeout(() => settle(false), this.#limits.waitMs);
      const settle = (entered: boolean) => {
        clearTimeout(timer);
        this.#queue = this.#queue.filter((other) => other !== waiting);
        if (entered) this.#enter(jobId);
        resolve(entered);
      };
      this.#queue.push(waiting);
    });
  }

  #mayEnter(jobId: bigint): boolean {
    return this.#places > 0 && (this.#running.get(jobId) ?? 0) < this.#limits.placesPerJob;
  }

  #enter(jobId: bigint) {
    this.#places--;
    this.#running.set(jobId, (this.#running.get(jobId) ?? 0) + 1);
  }

  #leave(jobId: bigint) {
    this.#places++;
    const left = (this.#running.get(jobId) ?? 1) - 1;
    if (left > 0) this.#running.set(jobId, left);
    else this.#running.delete(jobId);
    this.#queue.find((waiting) => this.#mayEnter(waiting.jobId))?.enter();
  }

  async #inTime<T>(result: Promise<T>): Promise<T | Unanswered> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Unanswered>((resolve) => {
      timer = setTimeout(() => {
        result.catch(this.#onLateError);
        resolve({ kind: 'unknown' });
      }, this.#limits.answerMs);
    });
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

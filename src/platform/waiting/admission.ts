import { inTime } from './deadline.ts';
import { Places, type PlacesLimits } from './places.ts';

export interface AdmissionLimits extends PlacesLimits {
  /**
   * How long a caller waits for an answer after the work has begun. After this time, the work goes
   * on without a caller.
   */
  answerMs: number;
}

/** The longest time that a caller waits, including the time in the line. */
export const longestAnswer = ({
  waitMs,
  answerMs,
}: Pick<AdmissionLimits, 'waitMs' | 'answerMs'>): number => waitMs + answerMs;

/** `busy`: the work has not begun. `unknown`: the work goes on without an answer. */
export type Unanswered = { kind: 'busy' } | { kind: 'unknown' };

/**
 * Runs the work of a bounded number of requests at a time. Every request is answered in bounded
 * time.
 */
export class Admission {
  readonly #places: Places;
  readonly #answerMs: number;
  readonly #onLateError: (error: unknown) => void;

  /** `onLateError` gets the errors that come after the answer `unknown`. */
  constructor({ answerMs, ...limits }: AdmissionLimits, onLateError: (error: unknown) => void) {
    this.#places = new Places(limits);
    this.#answerMs = answerMs;
    this.#onLateError = onLateError;
  }

  /** Runs the work once it has a place. Work that goes on without an answer keeps its place. */
  async run<T>(work: () => Promise<T>, key?: unknown): Promise<T | Unanswered> {
    if ((await this.#places.enter({ key })) !== true) return { kind: 'busy' };
    // An async function, so that a place is also given back if `work` throws at once.
    const running = async () => work();
    const result = running().finally(() => this.#places.leave(key));
    return inTime(
      result,
      this.#answerMs,
      (): Unanswered => ({ kind: 'unknown' }),
      this.#onLateError,
    );
  }
}

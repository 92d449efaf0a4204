import { inTime } from './deadline.ts';
import { Places, type PlacesLimits } from './places.ts';

export interface AdmissionLimits extends PlacesLimits {
  /**
   * The maximum wait of a caller for an answer after the work has begun. After this time, the work
   * goes on without the caller.
   */
  answerMs: number;
}

/** Returns the maximum time that a caller waits, including the time in the line. */
export const longestAnswer = ({
  waitMs,
  answerMs,
}: Pick<AdmissionLimits, 'waitMs' | 'answerMs'>): number => waitMs + answerMs;

/** `busy`: the work has not begun. `unknown`: the work goes on without an answer. */
export type Unanswered = { kind: 'busy' } | { kind: 'unknown' };

/**
 * Limits how many requests run at the same time, and how long each request waits for its answer.
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

  /**
   * Runs the work as soon as a place (see `Places`) is free. Work that goes on without an answer
   * keeps its place.
   */
  async run<T>(work: () => Promise<T>, key?: unknown): Promise<T | Unanswered> {
    if ((await this.#places.enter(key)) !== true) return { kind: 'busy' };
    // The function is async, so that the place is free again even if `work` throws immediately.
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

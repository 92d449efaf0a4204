/** The rule for the pauses between attempts. */
export interface Backoff {
  /**
   * The pause after the first failure, before jitter. The pause doubles with each further failure.
   */
  shortestMs: number;
  /** The upper limit of every pause. */
  longestMs: number;
  /**
   * The random share of each pause, from 0 to 1. Clients that failed at the same time should not
   * all return at the same time.
   */
  jitter: number;
}

/**
 * Returns the pause after a failure, in milliseconds. The first failure in a row has the number 0.
 */
export const pauseAfter = (failure: number, { shortestMs, longestMs, jitter }: Backoff): number =>
  Math.min(longestMs, shortestMs * 2 ** failure) * (1 - jitter * Math.random());

/** Resolves after this many milliseconds, or as soon as the signal is aborted. */
export const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

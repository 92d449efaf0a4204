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

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;

/**
 * Doubles after each failure, up to a bound. A part is random, so that the tabs of a stopped server
 * do not all return together.
 */
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failures) * (0.5 + Math.random() / 2);

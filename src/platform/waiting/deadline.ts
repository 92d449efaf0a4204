/**
 * Returns the result of the work. Calls `act` once if the work takes longer than `ms`, and goes on
 * with the work.
 */
export async function whenLate<T>(work: PromiseLike<T>, ms: number, act: () => void): Promise<T> {
  const timer = timerOf(act, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the result of the work, or `late()` if the work takes longer than `ms`. Late work goes
 * on, but its result is dropped. Passes a late error to `onLateError`.
 */
export function inTime<T, L>(
  work: PromiseLike<T>,
  ms: number,
  late: () => L | PromiseLike<L>,
  onLateError: (error: unknown) => void = () => undefined,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = timerOf(() => {
      isLate = true;
      resolve(late());
    }, ms);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        if (isLate) onLateError(error);
        else reject(error);
      },
    );
  });
}

/** Calls `act` after this many milliseconds. Infinity sets no timer. */
export const timerOf = (act: () => void, ms: number) =>
  ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(act, ms);

/**
 * All tabs of a browser share six connections to a service. Five may be streams; one is left for
 * other requests.
 */
const SEATS = Array.from({ length: 5 }, (_, at) => `rowlock.seat.${at}`);

/**
 * Waits for one of the browser's seats, and does the work while it holds the seat. `onCrowded` is
 * called if other tabs hold all seats. A browser without locks for pages (over plain http from
 * another machine) gives everybody a seat. Throws the error of the work, or an error if the signal
 * is aborted.
 */
export async function seated(
  work: () => Promise<void>,
  onCrowded: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { locks } = navigator as Partial<Navigator>;
  if (!locks) return work();
  for (const seat of SEATS) {
    const isDone = await locks.request(seat, { ifAvailable: true }, async (free) => {
      if (free) await work();
      return free !== null;
    });
    if (isDone) return;
  }
  onCrowded();
  const sitting = new AbortController();
  const waiting = AbortSignal.any([signal, sitting.signal]);
  const sit = async () => {
    // If two seats become free together, the second is left to other tabs.
    sitting.signal.throwIfAborted();
    sitting.abort();
    await work();
  };
  await Promise.any(SEATS.map((seat) => locks.request(seat, { signal: waiting }, sit)));
}

/**
 * All tabs of a browser share six connections to a service. Five may be streams. The sixth is for
 * other requests.
 */
const SEATS = Array.from({ length: 5 }, (_, at) => `rowlock.seat.${at}`);

/**
 * A seat is the right to have a stream. Waits for a free seat, and does the work while this tab has
 * the seat. Calls `onCrowded` if other tabs have all seats. Over plain http from another machine,
 * browsers have no locks. The work then needs no seat. Throws the error of the work, or an error if
 * the signal is aborted.
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
    // If two seats become free together, this tab returns the second seat at once.
    sitting.signal.throwIfAborted();
    sitting.abort();
    await work();
  };
  await Promise.any(SEATS.map((seat) => locks.request(seat, { signal: waiting }, sit)));
}

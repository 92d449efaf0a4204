import type { Locks } from './locks.ts';

/**
 * All tabs of a browser share six connections to a service. Five connections may be streams. The
 * sixth connection is for other requests.
 */
const SEATS = [1, 2, 3, 4, 5];

/**
 * A seat is the right to have a stream. Waits for a free seat, and does the work while this tab has
 * the seat. Calls `onCrowded` if other streams have all seats. Throws if the work throws, or if the
 * signal is aborted during the wait.
 */
export async function seated(
  locks: Locks,
  url: string,
  work: () => Promise<void>,
  onCrowded: () => void,
  signal: AbortSignal,
): Promise<void> {
  const seats = SEATS.map((number) => `rowlock seat ${number} ${url}`);
  for (const seat of seats) {
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
  await Promise.any(seats.map((seat) => locks.request(seat, { signal: waiting }, sit)));
}

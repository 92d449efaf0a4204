/** A browser has six connections to a service for all its tabs: one is left for what they ask. */
const SEATS = Array.from({ length: 5 }, (_, at) => `rowlock.seat.${at}`);

/**
 * Does the work as soon as one of the browser's seats is free, and holds that until the work ends.
 * `onCrowded` is told when other tabs have them all. Where a browser has no locks for pages (by plain
 * http from another machine) everybody has a seat. Throws where the work does, and when aborted.
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
    // Of two that are free at once the second is left to others.
    sitting.signal.throwIfAborted();
    sitting.abort();
    await work();
  };
  await Promise.any(SEATS.map((seat) => locks.request(seat, { signal: waiting }, sit)));
}

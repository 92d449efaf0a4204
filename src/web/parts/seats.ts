/** A browser has six connections to a service for all its tabs: one is left for what they ask. */
const SEATS = 5;

/**
 * Does the work as soon as one of the browser's seats is free, and holds that until the work ends.
 * `onCrowded` is told when other tabs have them all. Where a browser has no locks for pages (by plain
 * http from another machine) everybody has a seat. Throws what the work throws, and when aborted.
 */
export async function seated(
  work: () => Promise<void>,
  onCrowded: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { locks } = navigator as Partial<Navigator>;
  if (!locks) return work();
  for (let seat = 0; seat < SEATS; seat++) {
    const isDone = await locks.request(nameOf(seat), { ifAvailable: true }, async (free) => {
      if (free) await work();
      return free !== null;
    });
    if (isDone) return;
  }
  onCrowded();
  await locks.request(nameOf(Math.floor(Math.random() * SEATS)), { signal }, work);
}

const nameOf = (seat: number) => `rowlock.seat.${seat}`;

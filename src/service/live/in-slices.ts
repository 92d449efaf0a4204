import { setImmediate } from 'node:timers/promises';

/**
 * The number of items in a slice. Writing to this many followers takes about a third of a
 * millisecond. A claim may wait for several slices.
 */
const SLICE = 8;

/** Calls `act` for each item, a few items at a time. The server answers requests in between. */
export async function inSlices<T>(items: Iterable<T>, act: (item: T) => void) {
  let done = 0;
  for (const item of items) {
    act(item);
    if (++done % SLICE === 0) await setImmediate();
  }
}

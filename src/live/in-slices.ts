import { setImmediate } from 'node:timers/promises';

/** Writing to this many followers takes about a third of a millisecond. A claim waits for some slices. */
const SLICE = 8;

/** Acts on each item, a few at a time. Requests are served in between. */
export async function inSlices<T>(items: Iterable<T>, act: (item: T) => void) {
  let done = 0;
  for (const item of items) {
    act(item);
    if (++done % SLICE === 0) await setImmediate();
  }
}

/** People do not notice a delay of this length. It is long enough to gather many changes. */
const BATCH_MS = 30;

/**
 * Gathers items for some milliseconds and then passes them on together. Keeps only the latest item
 * of each id.
 */
export class Batches<T extends { id: unknown }> {
  readonly #waiting = new Map<unknown, T>();
  readonly #take: (batch: T[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(take: (batch: T[]) => void) {
    this.#take = take;
  }

  add(each: T) {
    this.#waiting.set(each.id, each);
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Passes all waiting items on now. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = [...this.#waiting.values()];
    this.#waiting.clear();
    if (batch.length > 0) this.#take(batch);
  }
}

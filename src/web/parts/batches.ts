/** Short enough to be at once for people, long enough for what a crowd does in one go. */
const BATCH_MS = 30;

/** Hands on what comes by its id, some milliseconds' worth at a time; of each only the latest. */
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

  /** Hands on what waits now. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = [...this.#waiting.values()];
    this.#waiting.clear();
    if (batch.length > 0) this.#take(batch);
  }
}

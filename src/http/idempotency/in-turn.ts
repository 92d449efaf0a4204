/** Repeats of one request that wait at once; a client has no use for more. */
const MOST_IN_LINE = 100;

/** Lets those who name the same thing run one after the other, each waiting no longer than `waitMs`. */
export class InTurn {
  readonly #waitMs: number;
  readonly #lines = new Map<string, { length: number; last: Promise<unknown> | undefined }>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Whether somebody runs or waits under this name. */
  has(name: string): boolean {
    return this.#lines.has(name);
  }

  /**
   * Runs `work` once everybody before has ended; or gives `late` instead, when that takes too long,
   * and at once when too many wait.
   */
  async run<T>(name: string, work: () => Promise<T>, late: () => T): Promise<T> {
    const line = this.#lines.get(name) ?? { length: 0, last: undefined };
    if (line.length >= MOST_IN_LINE) return late();
    this.#lines.set(name, line);
    line.length++;
    const before = line.last;
    const mine = this.#after(before, work, late);
    // Whoever comes next waits for this one, and for whom this one gave up waiting for.
    line.last = Promise.allSettled([before, mine]).then(() => {
      line.length--;
      if (line.length === 0) this.#lines.delete(name);
    });
    return mine;
  }

  async #after<T>(before: Promise<unknown> | undefined, work: () => Promise<T>, late: () => T) {
    if (before === undefined) return work();
    return (await this.#inTime(before)) ? work() : late();
  }

  #inTime(before: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#waitMs);
      void before.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}

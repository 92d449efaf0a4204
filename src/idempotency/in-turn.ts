/** Lets those who name the same thing run one after the other, each waiting no longer than `waitMs`. */
export class InTurn {
  readonly #waitMs: number;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Runs `work` once everybody before has ended; or gives `late` instead when that takes too long. */
  async run<T>(name: string, work: () => Promise<T>, late: () => T): Promise<T> {
    const before = this.#last.get(name);
    const mine = this.#after(before, work, late);
    // Whoever comes next waits for this one, and for whom this one gave up waiting for.
    const ended = Promise.allSettled([before, mine]);
    this.#last.set(name, ended);
    void ended.then(() => this.#last.get(name) === ended && this.#last.delete(name));
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

import { Line, type LineLimits, type NotServed, type Wait } from './line.ts';

export interface PlacesLimits extends LineLimits {
  /** How many works run at once. */
  places: number;
  /** How many works with the same key run at once. The other places are free for other keys. */
  placesPerKey?: number;
}

/** Runs a bounded number of works at once. The other works wait in a line. */
export class Places {
  readonly #perKey: number;
  readonly #line: Line<true>;
  readonly #running = new Map<unknown, number>();
  #free: number;

  constructor({ places, placesPerKey = places, ...limits }: PlacesLimits) {
    this.#free = places;
    this.#perKey = placesPerKey;
    this.#line = new Line(limits);
  }

  /** Whether there is neither a place to run nor a place to wait. */
  get isFull(): boolean {
    return this.#free === 0 && this.#line.isFull;
  }

  /**
   * Runs the work as soon as there is a place for it. Returns the result of `notRun` if the work
   * did not run. `stop` ends only the wait. Running work must watch `stop` itself.
   */
  async run<T, N>(
    work: () => Promise<T>,
    notRun: (why: NotServed) => N,
    how: Wait = {},
  ): Promise<T | N> {
    const entered = await this.enter(how);
    if (entered !== true) return notRun(entered);
    try {
      return await work();
    } finally {
      this.leave(how.key);
    }
  }

  /** Waits for a place, and takes it. The caller must `leave` the place afterwards. */
  async enter(how: Wait): Promise<true | NotServed> {
    if (how.stop?.aborted) return 'left';
    return this.#take(how.key) || this.#line.wait(how);
  }

  /**
   * Frees a place. The first waiter who may have the place gets it at once, before anybody new can
   * take it.
   */
  leave(key: unknown) {
    this.#free++;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#line.serve(true, (other) => this.#take(other));
  }

  /** Takes a place. Returns false if there is no place for this key. */
  #take(key: unknown): boolean {
    const running = this.#running.get(key) ?? 0;
    if (this.#free === 0 || running >= this.#perKey) return false;
    this.#free--;
    this.#running.set(key, running + 1);
    return true;
  }
}

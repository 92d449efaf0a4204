import { Line, type LineLimits, type NotServed, type Wait } from './line.ts';

export interface PlacesLimits extends LineLimits {
  /** How many run at once. */
  places: number;
  /** How many works with the same key run at once. The other places are left to other keys. */
  placesPerKey?: number;
}

/** Lets a bounded number of works run at once. The others wait in a line. */
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
   * Runs the work as soon as there is a place for it. Gives the result of `notRun` if the work did
   * not run. `stop` ends only the wait: running work must watch `stop` itself.
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
   * Gives the place at once to the first waiter who may have it, so that nobody slips in between.
   */
  leave(key: unknown) {
    this.#free++;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#line.serve(true, (other) => this.#take(other));
  }

  /** False if there is no place for this key. */
  #take(key: unknown): boolean {
    const running = this.#running.get(key) ?? 0;
    if (this.#free === 0 || running >= this.#perKey) return false;
    this.#free--;
    this.#running.set(key, running + 1);
    return true;
  }
}

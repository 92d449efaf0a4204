import { Line, type LineLimits, type NotServed } from './line.ts';

export interface PlacesLimits extends LineLimits {
  /** The maximum number of pieces of work that run at the same time. */
  places: number;
  /**
   * The maximum number of running pieces of work with the same key. The other places are free for
   * other keys.
   */
  placesPerKey?: number;
}

/**
 * Limits how many pieces of work run at the same time. Further pieces of work wait in a line. A
 * place is the right to run.
 */
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

  /** Waits for a place, and takes the place. The caller must `leave` the place afterwards. */
  async enter(key: unknown): Promise<true | NotServed> {
    return this.#take(key) || this.#line.wait(key);
  }

  /**
   * Frees a place. The first waiter who may have the place gets it immediately, before any new
   * caller can take it.
   */
  leave(key: unknown) {
    this.#free++;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#line.serve(true, (other) => this.#take(other));
  }

  /** Takes a place. Returns false if no place is free for this key. */
  #take(key: unknown): boolean {
    const running = this.#running.get(key) ?? 0;
    if (this.#free === 0 || running >= this.#perKey) return false;
    this.#free--;
    this.#running.set(key, running + 1);
    return true;
  }
}

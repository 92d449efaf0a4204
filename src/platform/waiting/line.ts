import { timerOf } from './deadline.ts';

export interface LineLimits {
  /** The maximum number of waiters. The line refuses further waiters immediately. */
  longest: number;
  /** The maximum wait of each waiter, in milliseconds. Infinity means no limit. */
  waitMs: number;
}

/** The reason why a waiter got nothing: the line was full, or the time was up. */
export type NotServed = 'full' | 'late';

interface Waiting<Item> {
  key: unknown;
  take(item: Item): void;
  fail(error: unknown): void;
}

/**
 * A waiting line for items. Serves the waiters in the order of their arrival. The number of waiters
 * and their waiting time are limited.
 */
export class Line<Item> {
  readonly #limits: LineLimits;
  readonly #waiting = new Set<Waiting<Item>>();

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#limits.longest;
  }

  /**
   * Waits for an item. Throws the error if `fail` ends the wait. The key names the thing that the
   * waiter waits for, if not all waiters wait for the same thing.
   */
  wait(key?: unknown): Promise<Item | NotServed> {
    if (this.isFull) return Promise.resolve('full');
    return new Promise((resolve, reject) => {
      const end = (tell: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        tell();
      };
      const waiting: Waiting<Item> = {
        key,
        take: (item) => end(() => resolve(item)),
        fail: (error) => end(() => reject(error)),
      };
      const timer = timerOf(() => end(() => resolve('late')), this.#limits.waitMs);
      this.#waiting.add(waiting);
    });
  }

  /** Gives the item to the first waiter whose key `may` accepts. */
  serve(item: Item, may: (key: unknown) => boolean = () => true) {
    for (const waiting of this.#waiting) if (may(waiting.key)) return waiting.take(item);
  }

  /** Ends the wait of the first waiter with an error. */
  fail(error: unknown) {
    const [first] = this.#waiting;
    first?.fail(error);
  }
}

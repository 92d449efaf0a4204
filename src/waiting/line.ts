import { timerOf } from './deadline.ts';

export interface LineLimits {
  /** How many may wait. The line turns away anybody else at once. */
  longest: number;
  /** How long each may wait. Infinity leaves the bound to those who wait. */
  waitMs: number;
}

/** Why somebody got nothing: the line was full, the time was up, or the wait was stopped. */
export type NotServed = 'full' | 'late' | 'left';

/** How somebody waits. */
export interface Wait {
  /** Tells what is waited for, where not everybody waits for the same. */
  key?: unknown;
  /** Is told each place in the line, from 1. */
  onPlace?: ((place: number) => void) | undefined;
  /** Ends the wait. */
  stop?: AbortSignal | undefined;
}

interface Waiting<Item> extends Wait {
  take(item: Item): void;
  fail(error: unknown): void;
}

/** Those who wait for an item, in the order in which they came. Their number and time are bounded. */
export class Line<Item> {
  readonly #limits: LineLimits;
  readonly #waiting = new Set<Waiting<Item>>();
  /** How many want to know their place. Counting places costs as much as the line is long. */
  #curious = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#limits.longest;
  }

  /** Waits for an item. Throws what `fail` is given. */
  wait(how: Wait = {}): Promise<Item | NotServed> {
    const { onPlace, stop } = how;
    if (this.isFull) return Promise.resolve('full');
    if (stop?.aborted) return Promise.resolve('left');
    return new Promise((resolve, reject) => {
      const end = (tell: () => void) => {
        clearTimeout(timer);
        stop?.removeEventListener('abort', leave);
        this.#waiting.delete(waiting);
        if (onPlace) this.#curious--;
        tell();
        this.#tellPlaces();
      };
      const leave = () => end(() => resolve('left'));
      const waiting: Waiting<Item> = {
        ...how,
        take: (item) => end(() => resolve(item)),
        fail: (error) => end(() => reject(error)),
      };
      const timer = timerOf(() => end(() => resolve('late')), this.#limits.waitMs);
      stop?.addEventListener('abort', leave);
      this.#waiting.add(waiting);
      if (onPlace) this.#curious++;
      onPlace?.(this.#waiting.size);
    });
  }

  /** Gives the item to the first in the line, or to the first whose key `may` have it. */
  serve(item: Item, may: (key: unknown) => boolean = () => true) {
    for (const waiting of this.#waiting) if (may(waiting.key)) return waiting.take(item);
  }

  /** Ends the wait of the first with an error. */
  fail(error: unknown) {
    const [first] = this.#waiting;
    first?.fail(error);
  }

  #tellPlaces() {
    if (this.#curious === 0) return;
    let place = 0;
    for (const { onPlace } of this.#waiting) onPlace?.(++place);
  }
}

import { timerOf } from './deadline.ts';

export interface LineLimits {
  /** How many may wait. The line refuses all others at once. */
  longest: number;
  /** How many milliseconds each may wait. Infinity means no limit. */
  waitMs: number;
}

/** Why a waiter got nothing: the line was full, the time was up, or the wait was stopped. */
export type NotServed = 'full' | 'late' | 'left';

/** The conditions of one wait. */
export interface Wait {
  /**
   * The thing that the waiter waits for. Needed only if not all waiters wait for the same thing.
   */
  key?: unknown;
  /** Called with the waiter's place whenever the place changes. The first place is 1. */
  onPlace?: ((place: number) => void) | undefined;
  /** Ends the wait. */
  stop?: AbortSignal | undefined;
}

interface Waiting<Item> extends Wait {
  take(item: Item): void;
  fail(error: unknown): void;
}

/**
 * The waiters for an item, in the order of their arrival. Their number and their waiting time are
 * bounded.
 */
export class Line<Item> {
  readonly #limits: LineLimits;
  readonly #waiting = new Set<Waiting<Item>>();
  /**
   * How many waiters want to know their place. Counting places costs more the longer the line is.
   */
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

  /** Waits for an item. Throws the error if `fail` ends the wait. */
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

  /** Gives the item to the first waiter whose key `may` accepts. */
  serve(item: Item, may: (key: unknown) => boolean = () => true) {
    for (const waiting of this.#waiting) if (may(waiting.key)) return waiting.take(item);
  }

  /** Ends the wait of the first waiter with an error. */
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

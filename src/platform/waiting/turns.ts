export interface TurnsLimits {
  /** The maximum number of pieces of work that run at the same time. */
  places: number;
  /**
   * The maximum number of running pieces of work with the same key. The other places are free for
   * other keys.
   */
  placesPerKey?: number;
  /** The maximum number of waiting pieces of work. Further work is refused immediately. */
  longest: number;
  /** The maximum number of waiting pieces of work with the same key. */
  longestPerKey?: number;
}

/** The conditions of one wait. */
interface Wait {
  /** The owner of the work. */
  key?: unknown;
  /** Called with the position in the line whenever a position changes. The first position is 1. */
  onPlace?: (place: number) => void;
  /** Ends the wait. */
  stop?: AbortSignal | undefined;
}

/**
 * The reason why work did not run: `full` if too much work waited, `left` if `stop` ended the wait.
 */
type NotRun = 'full' | 'left';

interface Waiting {
  key: unknown;
  /** The turn of the work. Work of the same turn is served in the order of arrival. */
  turn: number;
  onPlace: ((place: number) => void) | undefined;
  begin(): void;
}

/**
 * Limits how much work runs at the same time. The keys take turns: the second waiting work of a key
 * comes after the first waiting work of every other key. So a key with much work delays no other
 * key.
 *
 * A wait has no time limit. It ends when `stop` is aborted.
 */
export class Turns {
  readonly #limits: Required<TurnsLimits>;
  /** The waiting work, in the order in which it will run. */
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<unknown, number>();
  /** The latest turn of each key that runs or waits. */
  readonly #turns = new Map<unknown, number>();
  #turn = 0;
  #free: number;

  constructor({ places, longest, ...perKey }: TurnsLimits) {
    const { placesPerKey = places, longestPerKey = longest } = perKey;
    this.#limits = { places, placesPerKey, longest, longestPerKey };
    this.#free = places;
  }

  /** Returns true if work with this key may neither run now nor wait. */
  isFullFor(key: unknown): boolean {
    return !this.#mayRun(key) && !this.#mayWait(key);
  }

  /**
   * Runs the work in its turn. Returns the result of `notRun` if the work did not run. `stop` ends
   * only the wait. Running work must watch `stop` itself.
   */
  async run<T, N>(
    work: () => Promise<T>,
    notRun: (why: NotRun) => N,
    how: Wait = {},
  ): Promise<T | N> {
    const entered = await this.#enter(how);
    if (entered !== true) return notRun(entered);
    try {
      return await work();
    } finally {
      this.#leave(how.key);
    }
  }

  #mayRun(key: unknown): boolean {
    return this.#free > 0 && (this.#running.get(key) ?? 0) < this.#limits.placesPerKey;
  }

  #mayWait(key: unknown): boolean {
    const { longest, longestPerKey } = this.#limits;
    const own = this.#waiting.filter((each) => each.key === key).length;
    return this.#waiting.length < longest && own < longestPerKey;
  }

  #enter({ key, onPlace, stop }: Wait): Promise<true | NotRun> {
    if (stop?.aborted) return Promise.resolve('left');
    if (this.#mayRun(key)) {
      this.#begin(key, this.#turn);
      return Promise.resolve(true);
    }
    if (!this.#mayWait(key)) return Promise.resolve('full');
    const turn = Math.max(this.#turn, (this.#turns.get(key) ?? -1) + 1);
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#forget(key);
        this.#tellPlaces();
        resolve('left');
      };
      const begin = () => {
        stop?.removeEventListener('abort', leave);
        resolve(true);
      };
      const waiting = { key, turn, onPlace, begin };
      stop?.addEventListener('abort', leave, { once: true });
      this.#turns.set(key, turn);
      const later = this.#waiting.findIndex((each) => each.turn > turn);
      this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, waiting);
      this.#tellPlaces();
    });
  }

  #begin(key: unknown, turn: number) {
    this.#free--;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#turn = Math.max(this.#turn, turn);
    this.#turns.set(key, Math.max(this.#turns.get(key) ?? 0, this.#turn));
  }

  #leave(key: unknown) {
    this.#free++;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#forget(key);
    const next = this.#waiting.findIndex((each) => this.#mayRun(each.key));
    const [served] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (!served) return;
    this.#begin(served.key, served.turn);
    served.begin();
    this.#tellPlaces();
  }

  /**
   * Forgets a key without running or waiting work. So the memory stays limited, and the key begins
   * with its first turn again.
   */
  #forget(key: unknown) {
    if (!this.#running.has(key) && !this.#waiting.some((each) => each.key === key))
      this.#turns.delete(key);
  }

  #tellPlaces() {
    for (const [index, { onPlace }] of this.#waiting.entries()) onPlace?.(index + 1);
  }
}

/** Nobody mistypes a code of six signs so often. */
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 1_000;

interface Wrong {
  count: number;
  /** When the count begins anew. */
  until: number;
}

/**
 * Counts wrong codes by network address. An address with too many of them waits for the end of the
 * minute, also with the right code. A hundred computers that guess all day find one code of 700
 * million with a probability of 0.2 percent.
 */
export class Guesses {
  readonly #wrong = new Map<string, Wrong>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** How many seconds the address must wait. 0 if it may try. */
  waitOf(address: string): number {
    const wrong = this.#wrong.get(address);
    if (!wrong || wrong.count < MOST_WRONG) return 0;
    return Math.max(0, Math.ceil((wrong.until - this.#now()) / 1_000));
  }

  noteWrong(address: string) {
    const before = this.#wrong.get(address);
    const isOver = !before || before.until <= this.#now();
    const next = isOver ? { count: 0, until: this.#now() + WINDOW_MS } : before;
    next.count++;
    this.#wrong.delete(address);
    this.#wrong.set(address, next);
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > MOST_ADDRESSES && oldest !== undefined) this.#wrong.delete(oldest);
  }
}

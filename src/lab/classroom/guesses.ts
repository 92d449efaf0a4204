/**
 * The maximum number of wrong codes from one address in a minute. Nobody mistypes six characters so
 * often.
 */
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 1_000;

interface Wrong {
  count: number;
  /** The time at which the count begins anew. */
  until: number;
}

/**
 * Counts wrong codes by network address. An address with too many wrong codes must wait for the end
 * of the minute, even if its next code is right. There are 888 million codes. A hundred computers
 * that guess all day find the right code with a probability of 0.16 percent.
 */
export class Guesses {
  readonly #wrong = new Map<string, Wrong>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns how many seconds the address must wait, or 0 if the address may send a code. */
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

import { Line } from '../../waiting/line.ts';

/** Repeats of one request that wait at once. A client has no use for more. */
const LONGEST = 99;

/** Lets those who name the same thing run one after the other. Each waits no longer than `waitMs`. */
export class InTurn {
  readonly #waitMs: number;
  /** The names that run. Ten thousand may run at once, so a name has no line before somebody waits. */
  readonly #lines = new Map<string, Line<true> | undefined>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Whether somebody runs or waits under this name. */
  has(name: string): boolean {
    return this.#lines.has(name);
  }

  /** Runs `work` in its turn. Gives `late()` if the turn takes too long to come, or too many wait. */
  async run<T>(name: string, work: () => Promise<T>, late: () => T): Promise<T> {
    if (this.has(name)) {
      if ((await this.#lineOf(name).wait()) !== true) return late();
    } else this.#lines.set(name, undefined);
    try {
      return await work();
    } finally {
      this.#next(name);
    }
  }

  #next(name: string) {
    const line = this.#lines.get(name);
    if (line && line.length > 0) line.serve(true);
    else this.#lines.delete(name);
  }

  #lineOf(name: string): Line<true> {
    const line = this.#lines.get(name) ?? new Line({ longest: LONGEST, waitMs: this.#waitMs });
    this.#lines.set(name, line);
    return line;
  }
}

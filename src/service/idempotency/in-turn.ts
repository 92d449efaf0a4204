import { Line } from '../../platform/waiting/line.ts';

/** How many repeats of one request may wait at the same time. No client needs more. */
const LONGEST = 99;

/**
 * Runs pieces of work, each under a name. Pieces with the same name run one after the other. Each
 * piece waits for at most `waitMs`.
 */
export class InTurn {
  readonly #waitMs: number;
  /**
   * The names of running work. Work may run under ten thousand names at the same time, so a name
   * gets a line only when other work must wait.
   */
  readonly #lines = new Map<string, Line<true> | undefined>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Returns whether any work runs or waits under this name. */
  has(name: string): boolean {
    return this.#lines.has(name);
  }

  /**
   * Runs `work` when no other work with this name runs. Returns `late()` if the wait takes too
   * long, or if too many already wait.
   */
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

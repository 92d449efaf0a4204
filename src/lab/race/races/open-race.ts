import { randomUUID } from 'node:crypto';
import type { ClaimRequest, Outcome } from '../../../claims/rules.ts';
import type { RaceRows } from '../track.ts';

export interface RacePatience {
  /** A race ends after this time without a request: its caller may be dead. */
  idleMs: number;
  /** A race ends after this time in any case, since others wait for its track. */
  longestMs: number;
}

type Claim = (request: ClaimRequest) => Promise<Outcome>;

/** A race that takes claims until it ends. */
export class OpenRace {
  readonly id = randomUUID();
  readonly capacity: number;
  readonly rows: RaceRows;
  /** Resolves when the race takes no more claims. */
  readonly ended: Promise<void>;
  readonly #claim: Claim;
  readonly #running = new Set<Promise<Outcome>>();
  readonly #idle: NodeJS.Timeout;
  readonly #longest: NodeJS.Timeout;
  #hasEnded = false;
  #tellEnd = () => {};

  constructor(rows: RaceRows, capacity: number, claim: Claim, patience: RacePatience) {
    this.rows = rows;
    this.capacity = capacity;
    this.#claim = claim;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.#idle = setTimeout(() => this.#endIfIdle(), patience.idleMs).unref();
    this.#longest = setTimeout(() => this.end(), patience.longestMs).unref();
  }

  /** Claims as a recruiter; undefined once the race has ended. */
  async claim(request: ClaimRequest): Promise<Outcome | undefined> {
    if (this.#hasEnded) return undefined;
    const claimed = this.#claim(request);
    this.#running.add(claimed);
    try {
      return await claimed;
    } finally {
      this.#running.delete(claimed);
      this.stir();
    }
  }

  /** Somebody is still there. */
  stir() {
    if (!this.#hasEnded) this.#idle.refresh();
  }

  /** Takes no more claims. Running claims end normally. */
  end() {
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#longest);
    this.#tellEnd();
  }

  /** Resolves when no claim runs any more. */
  async still() {
    await Promise.allSettled(this.#running);
  }

  #endIfIdle() {
    if (this.#running.size > 0) this.#idle.refresh();
    else this.end();
  }
}

import { randomUUID } from 'node:crypto';
import type { Course } from '../../chapter.ts';

export interface RacePatience {
  /** A race ends after this time without a request, since its caller may be dead. */
  idleMs: number;
  /** A race ends after this time in any case, since other races wait for its track. */
  longestMs: number;
}

type Ask = (request: unknown) => Promise<unknown>;

/** A race that accepts requests until it ends. */
export class OpenRace {
  readonly id = randomUUID();
  readonly course: Course;
  /** Resolves when the race accepts no more requests. */
  readonly ended: Promise<void>;
  readonly #ask: Ask;
  readonly #running = new Set<Promise<unknown>>();
  readonly #idle: NodeJS.Timeout;
  readonly #longest: NodeJS.Timeout;
  #hasEnded = false;
  #tellEnd = () => {};

  constructor(course: Course, ask: Ask, patience: RacePatience) {
    this.course = course;
    this.#ask = ask;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.#idle = setTimeout(() => this.#endIfIdle(), patience.idleMs).unref();
    this.#longest = setTimeout(() => this.end(), patience.longestMs).unref();
  }

  /** Returns the answer to a request. Returns undefined once the race has ended. */
  async ask(request: unknown): Promise<{ answer: unknown } | undefined> {
    if (this.#hasEnded) return undefined;
    const asked = this.#ask(request);
    this.#running.add(asked);
    try {
      return { answer: await asked };
    } finally {
      this.#running.delete(asked);
      this.stir();
    }
  }

  /** Restarts the idle time, since the caller of the race is still there. */
  stir() {
    if (!this.#hasEnded) this.#idle.refresh();
  }

  /** Refuses further requests. Running requests end normally. */
  end() {
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#longest);
    this.#tellEnd();
  }

  /** Resolves when no request runs any more. */
  async still() {
    await Promise.allSettled(this.#running);
  }

  #endIfIdle() {
    if (this.#running.size > 0) this.#idle.refresh();
    else this.end();
  }
}

import { pause, pauseAfter } from '../../platform/waiting/backoff.ts';
import { Bell } from '../../platform/waiting/bell.ts';
import { BACKOFF } from './limits.ts';

/**
 * The pause between two checks. A commit of this server usually ends the pause early. The pause
 * keeps its full length after a check that found news, and after a check that followed a commit of
 * this server. The server may write the news of a check to every follower, so 1,000 followers cause
 * up to 10,000 writes a second.
 */
const PACE_MS = 100;

export interface WatchDeps {
  /** Prepares the first check. Every commit after this call is news. */
  begin(): Promise<void>;
  /**
   * Reads and sends the news. Resolves to false if there was no news. After an error, the watch
   * checks again.
   */
  look(): Promise<boolean>;
  /** True if anybody wants the news. */
  isWanted(): boolean;
  /** Called once for each outage. */
  onFailure(error: unknown): void;
}

/**
 * Checks for news while anybody wants the news. A commit of this server after a quiet time causes a
 * check immediately. Later commits wait for the next check.
 */
export class Watch {
  readonly #deps: WatchDeps;
  readonly #closing = new AbortController();
  readonly #bell = new Bell();
  #hasCommitted = false;
  #begun: Promise<void> | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the watch has begun. Then every later commit is news. Throws the error of
   * `WatchDeps.begin`.
   */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** Called when this server may have committed news. */
  noteCommit() {
    this.#hasCommitted = true;
    this.#bell.ring();
  }

  close() {
    this.#closing.abort();
    this.#bell.ring();
  }

  async #begin() {
    try {
      await this.#deps.begin();
    } catch (error) {
      this.#begun = undefined;
      throw error;
    }
    void this.#lookOn();
  }

  async #lookOn() {
    const { signal } = this.#closing;
    // The first check begins immediately, so earlier commits need no separate check.
    this.#hasCommitted = false;
    for (let failures = 0; this.#deps.isWanted() && !signal.aborted; ) {
      const isOurs = this.#hasCommitted;
      this.#hasCommitted = false;
      try {
        const hasFound = await this.#deps.look();
        failures = 0;
        if (isOurs || hasFound) await pause(PACE_MS, signal);
        else if (!this.#hasCommitted) await this.#bell.rings(PACE_MS);
      } catch (error) {
        if (failures === 0 && !signal.aborted) this.#deps.onFailure(error);
        await pause(pauseAfter(failures++, BACKOFF), signal);
      }
    }
    this.#begun = undefined;
  }
}

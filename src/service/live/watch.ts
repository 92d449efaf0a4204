import { pause, pauseAfter } from '../waiting/backoff.ts';
import { Bell } from '../waiting/bell.ts';
import { BACKOFF } from './limits.ts';

/**
 * How often the watch looks for the commits of other servers. After a look that has found news, the
 * next look waits for this time too. The news may be written to every follower. So 1,000 followers
 * cause up to 10,000 writes a second.
 */
const PACE_MS = 100;

export interface WatchDeps {
  /** Prepares the first look. Every later commit is news. */
  begin(): Promise<void>;
  /**
   * Reads and tells the news. Resolves to false if there was no news. After an error, the watch
   * looks again.
   */
  look(): Promise<boolean>;
  /** True if anybody wants the news. */
  isWanted(): boolean;
  /** Called once for each outage. */
  onFailure(error: unknown): void;
}

/**
 * Looks for news while anybody wants the news. A commit of this server after a quiet time causes a
 * look at once. Later commits wait for the next look.
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

  /** Resolves when every later commit is news. Throws the error of `WatchDeps.begin`. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** This server may have committed news. */
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
    // The first look begins at once, so earlier commits need no look of their own.
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

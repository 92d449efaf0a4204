import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from '../waiting/backoff.ts';
import { BACKOFF } from './limits.ts';

/**
 * The shortest time between two readings. Each reading may write to every follower: 1,000 followers
 * cause up to 10,000 writes a second.
 */
const PACE_MS = 100;
/** The largest number of jobs that are read together. */
const READ_AT_ONCE = 1_000;

export interface ChangedJobsDeps {
  /** Reads changed jobs. Throws if these jobs must be read again. */
  read(ids: bigint[]): Promise<void>;
  onFailure(error: unknown): void;
}

/**
 * The changed jobs that are not read yet. A change after a quiet time is read at once. Later
 * changes are gathered and read together.
 */
export class ChangedJobs {
  readonly #deps: ChangedJobsDeps;
  readonly #waiting = new Set<bigint>();
  #isReading = false;
  #isClosed = false;

  constructor(deps: ChangedJobsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(id: bigint) {
    this.#waiting.add(id);
    if (!this.#isReading) void this.#readAll();
  }

  clear() {
    this.#waiting.clear();
  }

  close() {
    this.#isClosed = true;
  }

  async #readAll() {
    this.#isReading = true;
    // One commit may announce many jobs one by one. They are read together.
    await setImmediate();
    for (let failures = 0; this.#waiting.size > 0 && !this.#isClosed; ) {
      const next = performance.now() + PACE_MS;
      try {
        await this.#readSome();
        failures = 0;
        await pause(next - performance.now());
      } catch (error) {
        this.#deps.onFailure(error);
        await pause(pauseAfter(failures++, BACKOFF));
      }
    }
    this.#isReading = false;
  }

  async #readSome() {
    const ids = [...this.#waiting].slice(0, READ_AT_ONCE);
    // Remove the ids before the read: a job that changes from now on must be read again.
    for (const id of ids) this.#waiting.delete(id);
    try {
      await this.#deps.read(ids);
    } catch (error) {
      for (const id of ids) this.#waiting.add(id);
      throw error;
    }
  }
}

const pause = (ms: number) => sleep(ms, undefined, { ref: false });

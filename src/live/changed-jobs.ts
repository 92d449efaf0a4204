import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from './pause.ts';

/**
 * The shortest time between two readings. Each reading costs a write to each follower: with 1,000
 * followers that is 10,000 writes a second.
 */
const PACE_MS = 100;
/** The most jobs that are read together. */
const READ_AT_ONCE = 1_000;

export interface ChangedJobsDeps {
  /** Reads jobs that have changed. Throws if these jobs have to be read again. */
  read(ids: bigint[]): Promise<void>;
  onFailure(error: unknown): void;
}

/**
 * The jobs that have changed and are not read yet. A change after a quiet time is read at once. The
 * changes that follow are gathered, and read together.
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
    // One commit may announce many jobs, one after the other. They are read together.
    await setImmediate();
    for (let failures = 0; this.#waiting.size > 0 && !this.#isClosed; ) {
      const next = performance.now() + PACE_MS;
      try {
        await this.#readSome();
        failures = 0;
        await pause(next - performance.now());
      } catch (error) {
        this.#deps.onFailure(error);
        await pause(pauseAfter(failures++));
      }
    }
    this.#isReading = false;
  }

  async #readSome() {
    const ids = [...this.#waiting].slice(0, READ_AT_ONCE);
    // Removed before the read, since a job that changes from now on has to be read again.
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

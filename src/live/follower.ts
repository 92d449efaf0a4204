import { BEGIN, END, HEARTBEAT, retryHint } from './events.ts';
import { pauseAfter } from './pause.ts';
import type { Followed, Page } from './queries.ts';

export interface FollowerDeps {
  /** Reads the page after the cursor and gives it to `take` before anything else is read. */
  read(followed: Followed, cursor: bigint, take: (page: Page) => void): Promise<void>;
  heartbeatMs: number;
  /** Events that may wait for a slow client. */
  pending: number;
}

/** A timer that is set for longer rings at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The full state on its way to a client. */
interface Snapshot {
  /** Everything up to this job was read. */
  cursor: bigint;
  isBegun: boolean;
  isRead: boolean;
}

const newSnapshot = (): Snapshot => ({ cursor: 0n, isBegun: false, isRead: false });

/**
 * What one client is told. Of a job that changes faster than the client reads only the latest state
 * waits; and a client that is behind by too many jobs gets the full state again instead, a page at a
 * time, so that what waits for it is bounded.
 */
export class Follower {
  readonly followed: Followed;
  readonly #deps: FollowerDeps;
  readonly #leaving = new AbortController();
  readonly #pending = new Map<bigint, string>();
  #snapshot: Snapshot | undefined = newSnapshot();
  #wake = () => {};

  constructor(followed: Followed, deps: FollowerDeps) {
    this.followed = followed;
    this.#deps = deps;
  }

  /** Aborted once the client is told nothing more. */
  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  get heartbeatMs(): number {
    return this.#deps.heartbeatMs;
  }

  leave() {
    this.#leaving.abort();
    this.#wake();
  }

  /** Leaves at this time, in milliseconds since 1970; in 24 days at the latest. */
  leaveAt(time: number) {
    const ms = Math.min(time - Date.now(), LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.leave(), ms).unref();
    this.left.addEventListener('abort', () => clearTimeout(timer));
  }

  /** Takes the latest event about a job. */
  put(id: bigint, text: string) {
    const snapshot = this.#snapshot;
    // It is part of a page that is still to be read.
    if (snapshot && !snapshot.isRead && id > snapshot.cursor) return;
    this.#pending.set(id, text);
    if (this.#pending.size > this.#deps.pending) this.restart();
    this.#wake();
  }

  /** Begins the full state anew: something was missed. */
  restart() {
    this.#pending.clear();
    this.#snapshot = newSnapshot();
    this.#wake();
  }

  /** Reads the next page of the full state. Throws what the database throws. */
  async readOn(): Promise<void> {
    const snapshot = this.#snapshot;
    if (!snapshot) return;
    await this.#deps.read(this.followed, snapshot.cursor, ({ events, next }) => {
      // Begun anew meanwhile: this page may be older than what was missed.
      if (this.#snapshot !== snapshot) return;
      for (const [id, text] of events) this.#pending.set(id, text);
      if (next === undefined) snapshot.isRead = true;
      else snapshot.cursor = next;
    });
  }

  /** What the client is to be sent, piece by piece, until it is left. Ends without an error. */
  async *texts(): AsyncGenerator<string, void> {
    yield retryHint();
    for (let failures = 0; !this.left.aborted; ) {
      const text = this.#take();
      if (text !== '') yield text;
      else if (!this.#snapshot) {
        if (!(await this.#awakened(this.#deps.heartbeatMs))) yield HEARTBEAT;
      } else if (await this.#isReadOn()) failures = 0;
      else {
        await this.#awakened(pauseAfter(failures++));
        yield HEARTBEAT;
      }
    }
  }

  #take(): string {
    const events = [...this.#pending.values()];
    this.#pending.clear();
    const snapshot = this.#snapshot;
    if (snapshot && !snapshot.isBegun) {
      snapshot.isBegun = true;
      events.unshift(BEGIN);
    }
    if (snapshot?.isRead) {
      this.#snapshot = undefined;
      events.push(END);
    }
    return events.join('');
  }

  #isReadOn(): Promise<boolean> {
    return this.readOn().then(
      () => true,
      () => false,
    );
  }

  /** Whether there was something to do before the time was up. */
  #awakened(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      if (this.left.aborted) this.#wake();
    });
  }
}

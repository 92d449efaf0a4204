import { Backlog, Batch } from './batch.ts';
import { BEGIN, END, HEARTBEAT, retryHint } from './events.ts';
import { pauseAfter } from './pause.ts';
import { type Followed, type Page, topicOf } from './queries.ts';

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
 * Tells one client about jobs. If a job changes faster than the client reads, only the latest state of
 * the job waits. A client that is behind by too many jobs gets the full state again, a page at a time.
 * The events that wait for a client are therefore bounded.
 */
export class Follower {
  readonly followed: Followed;
  /** Followers of the same jobs have the same topic. */
  readonly topic: string;
  readonly #deps: FollowerDeps;
  readonly #leaving = new AbortController();
  readonly #backlog = new Backlog();
  #snapshot: Snapshot | undefined = newSnapshot();
  #wake = () => {};

  constructor(followed: Followed, deps: FollowerDeps) {
    this.followed = followed;
    this.topic = topicOf(followed);
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

  /** Takes the latest events about jobs. */
  put(batch: Batch) {
    this.#backlog.add(this.#isAllRead() ? batch : this.#ofReadPages(batch));
    if (this.#backlog.size > this.#deps.pending) this.restart();
    this.#wake();
  }

  /** Begins the full state anew: something was missed. */
  restart() {
    this.#backlog.clear();
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
      this.#backlog.add(events);
      if (next === undefined) snapshot.isRead = true;
      else snapshot.cursor = next;
    });
  }

  /** The pieces to send to the client, until it is left. Ends without an error. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    yield retryHint();
    for (let failures = 0; !this.left.aborted; ) {
      const chunk = this.#take();
      if (chunk.length > 0) yield chunk;
      else if (!this.#snapshot) {
        if (!(await this.#awakened(this.#deps.heartbeatMs))) yield HEARTBEAT;
      } else if (await this.#isReadOn()) failures = 0;
      else {
        await this.#awakened(pauseAfter(failures++));
        yield HEARTBEAT;
      }
    }
  }

  #take(): Uint8Array {
    const events = this.#backlog.take();
    const snapshot = this.#snapshot;
    if (!snapshot || (snapshot.isBegun && !snapshot.isRead)) return events;
    const begin = snapshot.isBegun ? [] : [BEGIN];
    const end = snapshot.isRead ? [END] : [];
    snapshot.isBegun = true;
    if (snapshot.isRead) this.#snapshot = undefined;
    return Buffer.concat([...begin, events, ...end]);
  }

  #isAllRead(): boolean {
    return this.#snapshot?.isRead ?? true;
  }

  /** The events of jobs whose page has been read. Pages that are still to be read tell the others. */
  #ofReadPages(batch: Batch): Batch {
    const cursor = this.#snapshot?.cursor ?? 0n;
    return new Batch([...batch.events].filter(([id]) => id <= cursor));
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

import { pauseAfter } from '../../platform/waiting/backoff.ts';
import { Bell } from '../../platform/waiting/bell.ts';
import { HEARTBEAT, retryHint } from '../http/event-stream.ts';
import { Backlog, Batch } from './batch.ts';
import { BEGIN, END } from './events.ts';
import { BACKOFF } from './limits.ts';
import { type Followed, type Page, topicOf } from './queries.ts';

export interface FollowerDeps {
  /** Reads the page after the cursor. Calls `take` with the page before any other read begins. */
  read(followed: Followed, cursor: bigint, take: (page: Page) => void): Promise<void>;
  heartbeatMs: number;
  /** How many events may wait for a slow client. */
  pending: number;
}

/** The longest timer that Node supports. Node fires a longer timer immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The full state while it is being sent to a client. */
interface Snapshot {
  /** All jobs up to this id have been read. */
  cursor: bigint;
  isBegun: boolean;
  isRead: boolean;
}

const newSnapshot = (): Snapshot => ({ cursor: 0n, isBegun: false, isRead: false });

/**
 * Sends jobs to one client. If a job changes faster than the client reads, only the latest state of
 * the job waits. A client that is too many jobs behind gets the full state again, page by page.
 * Therefore the number of waiting events is limited.
 */
export class Follower {
  readonly followed: Followed;
  /** Followers of the same jobs have the same topic. */
  readonly topic: string;
  readonly #deps: FollowerDeps;
  readonly #leaving = new AbortController();
  readonly #backlog = new Backlog();
  #snapshot: Snapshot | undefined = newSnapshot();
  readonly #bell = new Bell();

  constructor(followed: Followed, deps: FollowerDeps) {
    this.followed = followed;
    this.topic = topicOf(followed);
    this.#deps = deps;
  }

  /** Aborted when the stream must end. */
  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  get heartbeatMs(): number {
    return this.#deps.heartbeatMs;
  }

  leave() {
    this.#leaving.abort();
    this.#bell.ring();
  }

  /** Leaves at this time (in milliseconds since 1970), but after 24 days at the latest. */
  leaveAt(time: number) {
    const ms = Math.min(time - Date.now(), LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.leave(), ms).unref();
    this.left.addEventListener('abort', () => clearTimeout(timer));
  }

  /** Adds the latest events about jobs to the waiting events. */
  put(batch: Batch) {
    this.#backlog.add(this.#isAllRead() ? batch : this.#ofReadPages(batch));
    if (this.#backlog.size > this.#deps.pending) this.restart();
    this.#bell.ring();
  }

  /** Starts the full state again, because the client missed something. */
  restart() {
    this.#backlog.clear();
    this.#snapshot = newSnapshot();
    this.#bell.ring();
  }

  /** Reads the next page of the full state. Throws the errors of the database. */
  async readOn(): Promise<void> {
    const snapshot = this.#snapshot;
    if (!snapshot) return;
    await this.#deps.read(this.followed, snapshot.cursor, ({ events, next }) => {
      // If the full state started again during the read, this page may be older than the missed
      // events. So the page is dropped.
      if (this.#snapshot !== snapshot) return;
      this.#backlog.add(events);
      if (next === undefined) snapshot.isRead = true;
      else snapshot.cursor = next;
    });
  }

  /** Yields the pieces to send to the client. Ends without an error after `leave`. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    yield retryHint();
    for (let failures = 0; !this.left.aborted; ) {
      const chunk = this.#take();
      if (chunk.length > 0) yield chunk;
      else if (!this.#snapshot) {
        if (!(await this.#bell.rings(this.#deps.heartbeatMs))) yield HEARTBEAT;
      } else if (await this.#isReadOn()) failures = 0;
      else {
        const pauseMs = pauseAfter(failures++, BACKOFF);
        if (!this.left.aborted) await this.#bell.rings(pauseMs);
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

  /**
   * Returns the events of the jobs whose page has been read. The other jobs come with later pages.
   * After the first page, places always pass this filter, because their ids are negative. Before the
   * first page, the feed does not know which places the client has.
   */
  #ofReadPages(batch: Batch): Batch {
    const cursor = this.#snapshot?.cursor ?? 0n;
    if (cursor === 0n) return new Batch([]);
    return new Batch([...batch.events].filter(([id]) => id <= cursor));
  }

  #isReadOn(): Promise<boolean> {
    return this.readOn().then(
      () => true,
      () => false,
    );
  }
}

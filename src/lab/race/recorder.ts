import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Codecs,
  openSession,
  type Session,
  type SessionSettings,
  type Statement,
} from '../../platform/db/session.ts';
import { Bell } from '../../platform/waiting/bell.ts';

/**
 * A time span in which a session did something. `from` and `to` are times of `performance.now()`.
 */
export type Slice = { session: number; from: number; to: number } & (
  | { kind: 'request' }
  | { kind: 'statement'; statement: Statement }
  /** `blocker` is the session that held the lock. */
  | { kind: 'wait'; blocker: number }
);

/** A wait that has begun, and has not ended yet. */
interface Wait {
  session: number;
  blocker: number;
  since: number;
}

/**
 * Finds the sessions that wait now. PostgreSQL does not record waits, so this query runs again and
 * again.
 */
const LOOK = `select pid, (pg_blocking_pids(pid))[1] as blocker,
    (select extract(epoch from clock_timestamp() - waitstart)::float8 * 1000
      from pg_locks where pg_locks.pid = pg_stat_activity.pid and not granted) as "waitedMs"
  from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** The time between two checks while no request runs. A new request ends this time immediately. */
const REST_MS = 1_000;

interface Waiting {
  pid: number;
  blocker: number | null;
  /** How long the wait has lasted. Null if the wait has just begun. */
  waitedMs: number | null;
}

/**
 * Records the statements of sessions, and their waits for one another. The recorder asks PostgreSQL
 * for the present waits again and again, at best about a thousand times a second. Each answer says
 * how long a wait has lasted.
 */
export class Recorder {
  readonly #onSlice: (slice: Slice) => void;
  readonly #session = new AsyncLocalStorage<number>();
  /** The session that each backend works for, by the process id of the backend. */
  readonly #working = new Map<number, number>();
  readonly #waits = new Map<number, Wait>();
  /** The time at which the last wait of each backend ended. */
  readonly #waitedUntil = new Map<number, number>();
  /**
   * How many statements each backend runs. BEGIN and a statement that is sent with BEGIN count as
   * two. A backend without a running statement does not wait, even if a late answer says that it
   * waits.
   */
  readonly #running = new Map<number, number>();
  /**
   * How many requests run. Between the rounds of a race nobody waits, and a query for waits would
   * only slow the race.
   */
  #requests = 0;
  readonly #bell = new Bell();
  #isWatching = false;
  #watching = Promise.resolve();

  /** Calls `onSlice` with each slice at its end. */
  constructor(onSlice: (slice: Slice) => void) {
    this.#onSlice = onSlice;
  }

  /** Runs the request of a session, and reports the whole request as one slice. */
  readonly around = async <T>(session: number, work: () => Promise<T>) => {
    const from = performance.now();
    this.#requests++;
    this.#bell.ring();
    try {
      return await this.#session.run(session, work);
    } finally {
      this.#requests--;
      this.#onSlice({ kind: 'request', session, from, to: performance.now() });
    }
  };

  /** Opens a session whose statements are recorded. */
  readonly open = (settings: SessionSettings, codecs: Codecs): Session => {
    const opened = openSession(settings, codecs);
    let pid: Promise<number> | undefined;
    return {
      ...opened,
      run: async (statement) => {
        pid ??= backendOf(opened);
        const backend = await pid;
        const session = this.#session.getStore() ?? 0;
        const from = performance.now();
        this.#working.set(backend, session);
        this.#count(backend, 1);
        try {
          return await opened.run(statement);
        } finally {
          // A statement that has ended no longer waits.
          if (this.#count(backend, -1) === 0) this.#endWait(backend);
          const to = performance.now();
          if (session) this.#onSlice({ kind: 'statement', session, statement, from, to });
        }
      },
    };
  };

  /** Starts to record waits in the database at `url`. */
  watch(url: string) {
    this.#isWatching = true;
    const session = openSession({ url, parameters: {} }, { parsers: {}, serializers: {} });
    this.#watching = this.#look(session).finally(() => session.close(0));
    // `end` throws the error later. Without this handler, the rejection would be unhandled until
    // then.
    this.#watching.catch(() => undefined);
  }

  /** Stops recording waits. If an error of the database ended the recording, throws this error. */
  async end() {
    this.#isWatching = false;
    this.#bell.ring();
    await this.#watching;
  }

  #count(backend: number, more: 1 | -1): number {
    const running = (this.#running.get(backend) ?? 0) + more;
    this.#running.set(backend, running);
    return running;
  }

  async #look(session: Session) {
    while (this.#isWatching) {
      if (this.#requests === 0) {
        await this.#bell.rings(REST_MS);
        continue;
      }
      const rows = await session.run({ text: LOOK, params: [], asArrays: false });
      this.#see(rows as unknown as Waiting[]);
    }
    this.#see([]);
  }

  #see(waiting: Waiting[]) {
    const now = performance.now();
    for (const [pid, wait] of this.#waits) {
      const still = waiting.find((each) => each.pid === pid);
      if (this.#working.get(still?.blocker ?? 0) !== wait.blocker) this.#endWait(pid);
    }
    for (const { pid, blocker, waitedMs } of waiting) {
      const session = this.#working.get(pid);
      const holder = this.#working.get(blocker ?? 0);
      if (session && holder && this.#running.get(pid) && !this.#waits.has(pid))
        this.#waits.set(pid, {
          session,
          blocker: holder,
          // Before its last wait ended, the session waited for an earlier holder of the lock. So
          // the new wait begins at the end of the last wait, or later.
          since: Math.max(now - (waitedMs ?? 0), this.#waitedUntil.get(pid) ?? 0),
        });
    }
  }

  #endWait(pid: number) {
    const wait = this.#waits.get(pid);
    if (!this.#waits.delete(pid) || !wait) return;
    const { session, blocker, since } = wait;
    const to = performance.now();
    this.#waitedUntil.set(pid, to);
    this.#onSlice({ kind: 'wait', session, blocker, from: since, to });
  }
}

async function backendOf(session: Session): Promise<number> {
  const text = 'select pg_backend_pid() as pid';
  const [row] = await session.run({ text, params: [], asArrays: false });
  return (row as { pid: number }).pid;
}

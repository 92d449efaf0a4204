import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClaimRequest } from '../../claims/rules.ts';
import {
  type Codecs,
  openSession,
  type Session,
  type SessionSettings,
  type Statement,
} from '../../db/session.ts';

/** Something that a recruiter's claim did for a while; the times are those of `performance.now()`. */
export type Slice = { recruiter: number; from: number; to: number } & (
  | { kind: 'claim' }
  | { kind: 'statement'; statement: Statement }
  /** For the lock that this recruiter held. */
  | { kind: 'wait'; blocker: number }
);

/** A session that was seen waiting, from the first look at it until now. */
interface Wait {
  recruiter: number;
  blocker: number;
  since: number;
}

/** Who waits now; asked over and over, since PostgreSQL keeps no record of it. */
const LOOK = `select pid, (pg_blocking_pids(pid))[1] as blocker,
    (select extract(epoch from clock_timestamp() - waitstart)::float8 * 1000
      from pg_locks where pg_locks.pid = pg_stat_activity.pid and not granted) as "waitedMs"
  from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

interface Waiting {
  pid: number;
  blocker: number | null;
  /** For so long it has waited for its lock; null where that has just begun. */
  waitedMs: number | null;
}

/**
 * Records what claims do: their statements, and for whom they wait. Waits are seen by looking as
 * often as PostgreSQL answers, some thousand times a second at best, and then say since when.
 */
export class Recorder {
  readonly #onSlice: (slice: Slice) => void;
  readonly #recruiter = new AsyncLocalStorage<number>();
  /** Which recruiter a backend works for, by its process id. */
  readonly #working = new Map<number, number>();
  readonly #waits = new Map<number, Wait>();
  /** When the last wait of a backend that was seen had ended. */
  readonly #waitedUntil = new Map<number, number>();
  /**
   * How many statements each backend has under way, BEGIN and what is sent along with it for one. A
   * look may be answered after they have come back.
   */
  readonly #running = new Map<number, number>();
  #isWatching = true;
  #watching = Promise.resolve();

  /** `onSlice` is told of each slice at its end. */
  constructor(onSlice: (slice: Slice) => void) {
    this.#onSlice = onSlice;
  }

  /** Runs one recruiter's claim, as a slice around all that it does. */
  readonly around = async <T>({ recruiterId }: ClaimRequest, claim: () => Promise<T>) => {
    const recruiter = Number(recruiterId);
    const from = performance.now();
    try {
      return await this.#recruiter.run(recruiter, claim);
    } finally {
      this.#onSlice({ kind: 'claim', recruiter, from, to: performance.now() });
    }
  };

  /** Opens sessions whose statements are recorded. */
  readonly open = (settings: SessionSettings, codecs: Codecs): Session => {
    const session = openSession(settings, codecs);
    let pid: Promise<number> | undefined;
    return {
      ...session,
      run: async (statement) => {
        pid ??= backendOf(session);
        const backend = await pid;
        const recruiter = this.#recruiter.getStore() ?? 0;
        const from = performance.now();
        this.#working.set(backend, recruiter);
        this.#count(backend, 1);
        try {
          return await session.run(statement);
        } finally {
          // What waited has its lock by now, and the wait belongs within the statement.
          if (this.#count(backend, -1) === 0) this.#endWait(backend);
          const to = performance.now();
          if (recruiter) this.#onSlice({ kind: 'statement', recruiter, statement, from, to });
        }
      },
    };
  };

  /** Begins to look who waits for whom. */
  watch(url: string) {
    const session = openSession({ url, parameters: {} }, { parsers: {}, serializers: {} });
    this.#watching = this.#look(session).finally(() => session.close(0));
    // Whoever ends the watch is told; until then nobody waits for it.
    this.#watching.catch(() => undefined);
  }

  /** Ends the watch. Throws what the database threw meanwhile. */
  async end() {
    this.#isWatching = false;
    await this.#watching;
  }

  #count(backend: number, more: 1 | -1): number {
    const running = (this.#running.get(backend) ?? 0) + more;
    this.#running.set(backend, running);
    return running;
  }

  async #look(session: Session) {
    while (this.#isWatching) {
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
      const recruiter = this.#working.get(pid);
      const holder = this.#working.get(blocker ?? 0);
      if (recruiter && holder && this.#running.get(pid) && !this.#waits.has(pid))
        this.#waits.set(pid, {
          ...{ recruiter, blocker: holder },
          // Before that it waited for somebody else, who had the lock then.
          since: Math.max(now - (waitedMs ?? 0), this.#waitedUntil.get(pid) ?? 0),
        });
    }
  }

  #endWait(pid: number) {
    const wait = this.#waits.get(pid);
    if (!this.#waits.delete(pid) || !wait) return;
    const { recruiter, blocker, since } = wait;
    const to = performance.now();
    this.#waitedUntil.set(pid, to);
    this.#onSlice({ kind: 'wait', recruiter, blocker, from: since, to });
  }
}

async function backendOf(session: Session): Promise<number> {
  const text = 'select pg_backend_pid() as pid';
  const [row] = await session.run({ text, params: [], asArrays: false });
  return (row as { pid: number }).pid;
}

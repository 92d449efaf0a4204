import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClaimRequest } from '../claims/rules.ts';
import { type Codecs, openSession, type Session, type SessionSettings } from '../db/session.ts';

/** One event of the Chrome trace-event format; `ts` and `dur` are in microseconds. */
interface TraceEvent {
  name: string;
  ph: 'X' | 'M' | 's' | 'f';
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  cat?: string;
  id?: number;
  bp?: 'e';
  args?: Record<string, unknown>;
}

/** A session that was seen waiting, from the first look at it until now. */
interface Wait {
  recruiter: number;
  blocker: number;
  since: number;
}

/** Who waits now; asked over and over, since PostgreSQL keeps no record of it. */
const LOOK = `select pid, (pg_blocking_pids(pid))[1] as blocker from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/**
 * Records a race as a timeline: a process for each round, a track for each recruiter, their
 * statements and waits as slices, and an arrow from whoever held the lock to whoever waited.
 * Waits are seen by looking as often as PostgreSQL answers, some thousand times a second.
 */
export class Trace {
  readonly #events: TraceEvent[] = [];
  readonly #recruiter = new AsyncLocalStorage<number>();
  /** Which recruiter a backend works for, by its process id. */
  readonly #working = new Map<number, number>();
  readonly #waits = new Map<number, Wait>();
  /** Backends with a statement under way: a look may be answered after that has come back. */
  readonly #running = new Set<number>();
  #round = 0;
  #arrows = 0;
  #isWatching = true;
  #watching = Promise.resolve();

  /** Names the round whose events come next. */
  readonly startRound = (name: string) => {
    this.#round++;
    this.#add({ name: 'process_name', ph: 'M', tid: 0, ts: now(), args: { name } });
  };

  /** Runs one recruiter's claim, as a slice around all that it does. */
  readonly around = async <T>(
    { recruiterId }: ClaimRequest,
    claim: () => Promise<T>,
  ): Promise<T> => {
    const recruiter = Number(recruiterId);
    const name = `Recruiter ${recruiter}`;
    this.#add({ name: 'thread_name', ph: 'M', tid: recruiter, ts: now(), args: { name } });
    const startedAt = now();
    try {
      return await this.#recruiter.run(recruiter, claim);
    } finally {
      this.#slice('claim', recruiter, startedAt);
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
        const startedAt = now();
        this.#working.set(backend, recruiter);
        this.#running.add(backend);
        try {
          return await session.run(statement);
        } finally {
          // What waited has its lock by now, and the wait belongs within the statement.
          this.#running.delete(backend);
          this.#endWait(backend);
          const text = statement.text.trim();
          const name = text.split(/\s+/, 2).join(' ');
          if (recruiter) this.#slice(name, recruiter, startedAt, { statement: text });
        }
      },
    };
  };

  /** Begins to look who waits for whom. */
  watch(url: string) {
    const session = openSession({ url, parameters: {} }, { parsers: {}, serializers: {} });
    this.#watching = this.#look(session).finally(() => session.close(0));
  }

  /** Ends the watch, and gives everything that was recorded. */
  async end(): Promise<{ traceEvents: TraceEvent[] }> {
    this.#isWatching = false;
    await this.#watching;
    return { traceEvents: this.#events };
  }

  async #look(session: Session) {
    while (this.#isWatching) {
      const rows = await session.run({ text: LOOK, params: [], asArrays: false });
      this.#see(rows as unknown as { pid: number; blocker: number | null }[]);
    }
    this.#see([]);
  }

  #see(waiting: { pid: number; blocker: number | null }[]) {
    for (const [pid, wait] of this.#waits) {
      const still = waiting.find((each) => each.pid === pid);
      if (this.#working.get(still?.blocker ?? 0) !== wait.blocker) this.#endWait(pid);
    }
    for (const { pid, blocker } of waiting) {
      const recruiter = this.#working.get(pid);
      const holder = this.#working.get(blocker ?? 0);
      if (recruiter && holder && this.#running.has(pid) && !this.#waits.has(pid))
        this.#waits.set(pid, { recruiter, blocker: holder, since: now() });
    }
  }

  #endWait(pid: number) {
    const wait = this.#waits.get(pid);
    if (!this.#waits.delete(pid) || !wait) return;
    const { recruiter, blocker, since } = wait;
    this.#slice(`waits for recruiter ${blocker}`, recruiter, since);
    const arrow = { name: 'lock', cat: 'wait', id: ++this.#arrows };
    this.#add({ ...arrow, ph: 's', tid: blocker, ts: since });
    this.#add({ ...arrow, ph: 'f', bp: 'e', tid: recruiter, ts: since });
  }

  #slice(name: string, tid: number, startedAt: number, args: Record<string, unknown> = {}) {
    this.#add({ name, ph: 'X', tid, ts: startedAt, dur: now() - startedAt, args });
  }

  #add(event: Omit<TraceEvent, 'pid'>) {
    this.#events.push({ ...event, pid: this.#round });
  }
}

const now = () => Math.round(performance.now() * 1000);

async function backendOf(session: Session): Promise<number> {
  const text = 'select pg_backend_pid() as pid';
  const [row] = await session.run({ text, params: [], asArrays: false });
  return (row as { pid: number }).pid;
}

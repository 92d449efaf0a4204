import { setImmediate as turn } from 'node:timers/promises';
import { arrayOf } from '../platform/db/array-text.ts';
import { Bell } from '../platform/waiting/bell.ts';
import type { Actor } from './actor.ts';
import type { Stage, StageSession } from './stage.ts';

/** Thrown if a session or a schedule does not end within its limit. */
export class Hang extends Error {
  override name = 'Hang';
  /**
   * Whether a session waits for a lock, and the session that holds the lock has already ended. Such
   * a lock is never released. A longer wait would not help.
   */
  readonly isForKeptLock: boolean;

  constructor(message: string, { isForKeptLock = false } = {}) {
    super(message);
    this.isForKeptLock = isForKeptLock;
  }
}

/** The length of one part of a long wait. */
const PART_MS = 100;
/**
 * A remote program may silence the server's report of a wait. So with a remote program, we ask the
 * server again and again which sessions wait. This is the time between two questions.
 */
const ASK_MS = 10;
/**
 * After this time without a report, we assume that the program has silenced the report. On a busy machine, a backend may
 * need many milliseconds before it searches for a deadlock and reports its wait.
 */
const SILENT_MS = 200;
/**
 * If a session sends no statement for longer than this, we assume that it waits in memory for
 * another session. We wait in short parts. If a busy machine stops our process for a moment, the
 * stop uses up only one part.
 */
const MEMORY = { parts: 10, partMs: 5 };
/**
 * The maximum number of pauses of a session in one step. We assume that a session with more pauses
 * polls for something that another session does.
 */
const MOST_PAUSES = 50;

/** Finds out when no session moves. Only then the scheduler can choose. */
export class Stillness {
  readonly #bell = new Bell();
  /** The number of status changes of all sessions. */
  #changes = 0;
  readonly #stage: Stage;
  readonly #sessions: readonly StageSession[];
  readonly #actors: readonly Actor[];
  /** Sessions that wait in memory for another session. */
  readonly #inMemory = new Set<Actor>();
  /** The time at which we first saw that the statement of a session waits. */
  readonly #waitsSince = new WeakMap<object, number>();

  constructor(stage: Stage, sessions: readonly StageSession[], actors: readonly Actor[]) {
    this.#stage = stage;
    this.#sessions = sessions;
    this.#actors = actors;
  }

  /**
   * Waits until no session moves. Then each statement has returned, or waits for another of our
   * sessions.
   */
  async settle() {
    const pauses = new Map<Actor, number>();
    for (;;) {
      await this.#untilNoneRuns();
      // We wait two turns of the event loop, because a result resolves promises, and their
      // callbacks may resolve other promises.
      await turn();
      await turn();
      if (this.#isRunning()) continue;
      if (this.#endsPause(pauses)) continue;
      if (await this.#comesBack()) continue;
      if (await this.#seeWhoWaits()) return;
    }
  }

  /**
   * Ends the next pause of a session that does nothing else. Returns false if there is no such
   * pause.
   */
  #endsPause(pauses: Map<Actor, number>): boolean {
    return this.#actors.some((actor) => {
      const count = pauses.get(actor) ?? 0;
      if (actor.status !== 'elsewhere' || count === MOST_PAUSES) return false;
      pauses.set(actor, count + 1);
      return actor.timers.fire();
    });
  }

  /**
   * Whether a session continues by itself, for example after a short timer. Checks only sessions
   * that have just become `elsewhere`. If such a session does not continue, we assume that it waits
   * for another session.
   */
  async #comesBack(): Promise<boolean> {
    for (const actor of this.#inMemory)
      if (actor.status !== 'elsewhere' && actor.status !== 'waiting') this.#inMemory.delete(actor);
    const away = this.#actors.filter(
      (each) => each.status === 'elsewhere' && !this.#inMemory.has(each),
    );
    return away.length > 0 && this.#movesSoon(away);
  }

  /**
   * Whether the status of any session changes while we wait for these sessions. If not, we record
   * that these sessions wait in memory.
   */
  async #movesSoon(away: Actor[]): Promise<boolean> {
    const before = this.#changes;
    const parts = away.map((actor) => {
      const { remote } = this.#sessionOf(actor);
      return remote ? remote.patienceMs / MEMORY.partMs : MEMORY.parts;
    });
    for (let part = 1; part <= Math.max(...parts); part++) {
      await this.#bell.rings(MEMORY.partMs);
      if (this.#changes !== before) return true;
    }
    for (const actor of away) this.#inMemory.add(actor);
    return false;
  }

  #isRunning(): boolean {
    return this.#actors.some(({ status }) => status === 'running');
  }

  async #untilNoneRuns() {
    while (this.#isRunning())
      if (!(await this.changeWithin(this.#stage.limits.stepMs + this.#stage.deadlockSearchMs)))
        throw new Hang('a statement did not return');
  }

  async #lookAtBackends() {
    const backends = this.#backends();
    const activity = (await this.#stage.run(ACTIVITY, [
      arrayOf([...backends.keys()]),
    ])) as unknown as Activity[];
    return {
      of: (actor: Actor) => activity.find(({ pid }) => pid === this.#sessionOf(actor).pid),
      numbers: (blockers: number[]) =>
        [...new Set(blockers.flatMap((pid) => backends.get(pid) ?? []))].sort(),
    };
  }

  #sessionOf({ number }: Actor): StageSession {
    return this.#sessions[number - 1] as StageSession;
  }

  /** Returns the process id of each backend, with the number of its session. */
  #backends(): Map<number, number> {
    return new Map(
      this.#sessions.flatMap(({ pid, remote }, index) =>
        (remote?.pids ?? [pid]).map((each) => [each, index + 1] as const),
      ),
    );
  }

  /** Records a change. Each actor calls this function when its status changes. */
  changed() {
    this.#changes++;
    this.#bell.ring();
  }

  /**
   * Whether a session changes its status within this time. We wait in parts. After each part we
   * also wait for an answer from PostgreSQL. So on a busy machine we wait longer.
   */
  async changeWithin(milliseconds: number): Promise<boolean> {
    const before = this.#changes;
    const partMs = this.#sessions.some(({ remote }) => remote) ? ASK_MS : PART_MS;
    for (let waited = 0; waited < milliseconds && this.#changes === before; waited += partMs) {
      await this.#bell.rings(partMs);
      if (this.#changes === before) await this.#findWaiting();
    }
    return this.#changes !== before;
  }

  /** Asks PostgreSQL which running statements wait for a lock of our sessions. */
  async #findWaiting() {
    const running = this.#actors.filter(
      (actor) => actor.status === 'running' && this.#sessionOf(actor).remote,
    );
    if (running.length === 0) return void (await this.#stage.run('select'));
    const { of, numbers } = await this.#lookAtBackends();
    for (const actor of running)
      if (numbers(of(actor)?.blockers ?? []).length > 0 && this.#hasSearched(actor)) actor.waits();
  }

  /**
   * Whether the waiting session has searched for a deadlock. PostgreSQL aborts the session that
   * searches last. This must be the session that closes the circle. Otherwise a repetition could
   * abort another session.
   */
  #hasSearched({ step }: Actor): boolean {
    if (!step) return true;
    const since = this.#waitsSince.get(step) ?? performance.now();
    this.#waitsSince.set(step, since);
    return performance.now() - since >= Math.max(this.#stage.deadlockSearchMs, SILENT_MS);
  }

  /**
   * Asks PostgreSQL for the sessions that block each waiting session. Returns false if a session
   * still moves.
   */
  async #seeWhoWaits(): Promise<boolean> {
    const waiting = this.#actors.filter(({ status }) => status === 'waiting');
    const failed = this.#actors.filter(({ returned }) =>
      returned.some(({ result }) => 'error' in result),
    );
    if (waiting.length === 0 && failed.length === 0) return true;
    const { of, numbers } = await this.#lookAtBackends();
    // PostgreSQL reports an error before it releases the locks. Until the release, its answer about
    // waits is wrong.
    if (failed.some((actor) => of(actor)?.active)) return false;
    let moved = false;
    for (const actor of waiting) {
      if (actor.status !== 'waiting') {
        // The session came back while we asked.
        moved = true;
        continue;
      }
      actor.waitsFor = numbers(of(actor)?.blockers ?? []);
      if (actor.waitsFor.includes(actor.number) && (await this.#movesBeside(actor))) return false;
      // None of our sessions blocks this session. The session goes on by itself, even if a process
      // such as autovacuum blocks the session now.
      if (actor.waitsFor.length === 0) {
        actor.resume();
        moved = true;
      }
    }
    return !moved;
  }

  /**
   * Lets a session go on if one of its connections waits for a lock of its other connection.
   * Returns false if nothing moves on the other connection.
   */
  async #movesBeside(actor: Actor): Promise<boolean> {
    if (this.#sessionOf(actor).remote?.goBeside()) return true;
    return !this.#inMemory.has(actor) && this.#movesSoon([actor]);
  }
}

interface Activity {
  pid: number;
  blockers: number[];
  active: boolean;
}

const ACTIVITY = `select pid, to_json(pg_blocking_pids(pid)) as blockers, state = 'active' as active
  from pg_stat_activity where pid = any($1::int[])`;

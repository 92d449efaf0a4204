import { setImmediate as turn } from 'node:timers/promises';
import { arrayOf } from '../../db/arrays.ts';
import { Bell } from '../../waiting/bell.ts';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

/** A session or a schedule did not end within its limit. */
export class Hang extends Error {
  override name = 'Hang';
}

/** Far longer than any statement on a few rows takes. A statement that takes longer has a fault. */
const HANG_MS = 10_000;
/** A long wait consists of such parts. */
const PART_MS = 100;
/**
 * If a session stays in memory longer than this, we assume that it waits for another session. We
 * wait in short parts. If a busy machine stops our process for a moment, only one part is over.
 */
const MEMORY = { parts: 10, partMs: 5 };
/**
 * A session may have as many pauses in one step. A session that pauses more often looks for something
 * that another session does.
 */
const MOST_PAUSES = 50;

/** Finds out when no session moves. Only then the scheduler can choose. */
export class Stillness {
  readonly #bell = new Bell();
  /** How often a session has changed its status. */
  #changes = 0;
  readonly #stage: Stage;
  readonly #pids: number[];
  readonly #actors: readonly Actor[];
  /** Sessions that wait in memory for another session. */
  readonly #inMemory = new Set<Actor>();

  constructor(stage: Stage, pids: number[], actors: readonly Actor[]) {
    this.#stage = stage;
    this.#pids = pids;
    this.#actors = actors;
  }

  /**
   * Waits until no session moves: each statement has come back, or waits for another of our
   * sessions.
   */
  async settle() {
    const pauses = new Map<Actor, number>();
    for (;;) {
      await this.#untilNoneRuns();
      // We wait two turns, since a result resolves promises, and these may release other promises.
      await turn();
      await turn();
      if (this.#isRunning()) continue;
      if (this.#endsPause(pauses)) continue;
      if (await this.#comesBack()) continue;
      if (await this.#seeWhoWaits()) return;
    }
  }

  /** Ends the next pause of a session that does nothing else. False if there is none. */
  #endsPause(pauses: Map<Actor, number>): boolean {
    return this.#actors.some((actor) => {
      const count = pauses.get(actor) ?? 0;
      if (actor.status !== 'elsewhere' || count === MOST_PAUSES) return false;
      pauses.set(actor, count + 1);
      return actor.timers.fire();
    });
  }

  /**
   * True if a session that has just become `elsewhere` comes back by itself, such as after a short
   * timer. We assume that a session that does not come back waits for another session.
   */
  async #comesBack(): Promise<boolean> {
    for (const actor of this.#inMemory)
      if (actor.status !== 'elsewhere') this.#inMemory.delete(actor);
    const away = this.#actors.filter(
      (each) => each.status === 'elsewhere' && !this.#inMemory.has(each),
    );
    if (away.length === 0) return false;
    for (let part = 1; part <= MEMORY.parts; part++) {
      const isChanged = await this.#bell.rings(MEMORY.partMs);
      if (isChanged || away.some(({ status }) => status !== 'elsewhere')) return true;
    }
    for (const actor of away) this.#inMemory.add(actor);
    return false;
  }

  #isRunning(): boolean {
    return this.#actors.some(({ status }) => status === 'running');
  }

  async #untilNoneRuns() {
    while (this.#isRunning())
      if (!(await this.changeWithin(HANG_MS))) throw new Hang('a statement did not return');
  }

  /** Actors call this whenever their status changes. */
  changed() {
    this.#changes++;
    this.#bell.ring();
  }

  /**
   * Resolves to true if a session changes its status within this time, and else to false. We wait in
   * parts, and PostgreSQL answers us after each. So on a busy machine we wait longer.
   */
  async changeWithin(milliseconds: number): Promise<boolean> {
    const before = this.#changes;
    for (let waited = 0; waited < milliseconds && this.#changes === before; waited += PART_MS) {
      await this.#bell.rings(PART_MS);
      if (this.#changes === before) await this.#stage.run('select');
    }
    return this.#changes !== before;
  }

  /**
   * Asks PostgreSQL which sessions each waiting session waits for. Returns false if a session still
   * moves.
   */
  async #seeWhoWaits(): Promise<boolean> {
    const waiting = this.#actors.filter(({ status }) => status === 'waiting');
    const failed = this.#actors.filter(({ returned }) =>
      returned.some(({ result }) => 'error' in result),
    );
    if (waiting.length === 0 && failed.length === 0) return true;
    const activity = (await this.#stage.run(ACTIVITY, [
      arrayOf(this.#pids),
    ])) as unknown as Activity[];
    const of = ({ number }: Actor) => activity.find(({ pid }) => pid === this.#pids[number - 1]);
    // PostgreSQL reports an error before it releases the locks. Until the release, its answer is
    // wrong.
    if (failed.some((actor) => of(actor)?.active)) return false;
    const numbers = (blockers: number[]) =>
      blockers.map((pid) => this.#pids.indexOf(pid) + 1).filter((number) => number > 0);
    let moved = false;
    for (const actor of waiting) {
      if (actor.status !== 'waiting') {
        // The session came back while we asked.
        moved = true;
        continue;
      }
      actor.waitsFor = numbers(of(actor)?.blockers ?? []).sort();
      // None of our sessions blocks this session. It goes on by itself, even if a stranger such as
      // autovacuum blocks it now.
      if (actor.waitsFor.length === 0) {
        actor.resume();
        moved = true;
      }
    }
    return !moved;
  }
}

interface Activity {
  pid: number;
  blockers: number[];
  active: boolean;
}

const ACTIVITY = `select pid, to_json(pg_blocking_pids(pid)) as blockers, state = 'active' as active
  from pg_stat_activity where pid = any($1::int[])`;

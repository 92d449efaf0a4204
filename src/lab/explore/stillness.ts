import { setImmediate as turn } from 'node:timers/promises';
import { arrayOf } from '../../db/arrays.ts';
import { Bell } from '../../waiting/bell.ts';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

/** A session neither came back nor waited for another within the bound. */
export class Hang extends Error {
  override name = 'Hang';
}

/** Far longer than any statement of a few rows takes; only a fault lasts so long. */
const HANG_MS = 10_000;
/** What takes longer than this in memory is taken for a wait for another session. */
const MEMORY_MS = 50;

/** Knows when nothing moves: only then is there something to choose. */
export class Stillness {
  readonly #bell = new Bell();
  readonly #stage: Stage;
  readonly #pids: number[];
  readonly #actors: readonly Actor[];
  /** Sessions that wait for another in memory. */
  readonly #inMemory = new Set<Actor>();

  constructor(stage: Stage, pids: number[], actors: readonly Actor[]) {
    this.#stage = stage;
    this.#pids = pids;
    this.#actors = actors;
  }

  /** Waits until nothing moves: each statement has come back, or waits for one of our sessions. */
  async settle() {
    for (;;) {
      await this.#untilNoneRuns();
      // Twice, since a result resolves promises, and these may release other promises.
      await turn();
      await turn();
      if (this.#isRunning()) continue;
      if (await this.#comesBack()) continue;
      if (await this.#seeWhoWaits()) return;
    }
  }

  /**
   * True if a session that has just gone elsewhere comes back by itself, from a thread pool or a short
   * timer. A session that stays away waits for another session.
   */
  async #comesBack(): Promise<boolean> {
    for (const actor of this.#inMemory)
      if (actor.status !== 'elsewhere') this.#inMemory.delete(actor);
    const away = this.#actors.filter(
      (each) => each.status === 'elsewhere' && !this.#inMemory.has(each),
    );
    if (away.length === 0) return false;
    if (await this.change(MEMORY_MS)) return true;
    for (const actor of away) this.#inMemory.add(actor);
    return false;
  }

  #isRunning(): boolean {
    return this.#actors.some(({ status }) => status === 'running');
  }

  async #untilNoneRuns() {
    const deadline = Date.now() + HANG_MS;
    while (this.#isRunning()) {
      if (!(await this.change(deadline - Date.now()))) throw new Hang('a statement did not return');
    }
  }

  /** To be called whenever a session changes its status. */
  changed() {
    this.#bell.ring();
  }

  /** True if a session changed its status in time. */
  change(milliseconds: number): Promise<boolean> {
    return this.#bell.rings(milliseconds);
  }

  /** Asks PostgreSQL for whom each waiting session waits. False if one of them moves again. */
  async #seeWhoWaits(): Promise<boolean> {
    const waiting = this.#actors.filter(({ status }) => status === 'waiting');
    const failed = this.#actors.filter(({ returned }) => returned && 'error' in returned.result);
    if (waiting.length === 0 && failed.length === 0) return true;
    const activity = (await this.#stage.run(ACTIVITY, [
      arrayOf(this.#pids),
    ])) as unknown as Activity[];
    const of = ({ number }: Actor) => activity.find(({ pid }) => pid === this.#pids[number - 1]);
    // PostgreSQL reports an error before it releases the locks. Until then its answer is not true.
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
      // Nobody blocks the session, or a stranger does, such as autovacuum. It goes on by itself.
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

import type { ToldSchedule } from '../explore/told.ts';
import type { Listener } from '../listener.ts';

/** One strategy in one situation, with a number of sessions. */
export interface Question {
  /** An address, such as `claims/naive`. */
  strategy: string;
  situation: string;
  sessions: number;
}

/** The result of an exploration. The server may have played only some of the schedules. */
export interface Explored extends Question {
  schedules: number;
  /**
   * False if some schedules were not played. Then nobody knows whether the strategy holds in them.
   */
  isComplete: boolean;
  serializationFailures: number;
  /** In how many schedules each fault was found. */
  faults: Record<string, number>;
  /** The clearest schedule with the gravest fault. Null if no fault was found. */
  counterexample: ToldSchedule | null;
  milliseconds: number;
}

/** The data of the events of an exploration, by their names. */
export interface ExplorationNews {
  /** The exploration waits for its turn. 1 is the next. */
  queued: { place: number };
  /** How many schedules were played, and of how many. `of` is null if the number is unknown. */
  progress: { schedules: number; of: number | null };
  done: Explored;
  failed: { detail: string };
}

/** An exploration that waits or runs, and its listeners. It ends when the last listener leaves. */
export class OpenExploration {
  readonly #listeners = new Set<Listener>();
  readonly #leaving = new AbortController();
  #latest = () => {};

  /** Aborted when the last listener has left. */
  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  join(listener: Listener) {
    this.#listeners.add(listener);
    this.#latest();
    listener.left.addEventListener('abort', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leaving.abort();
    });
  }

  /** Tells all listeners. A listener who joins later is told the latest news. */
  tell<Name extends keyof ExplorationNews>(name: Name, data: ExplorationNews[Name]) {
    this.#latest = () => {
      for (const listener of this.#listeners) listener.tellLatest(name, data);
    };
    this.#latest();
  }

  end() {
    for (const listener of this.#listeners) listener.end();
  }
}

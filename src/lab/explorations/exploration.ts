import type { ToldSchedule } from '../explore/told.ts';
import type { Listener } from '../listener.ts';

/** What is to be explored: a strategy's name and a setting's, and two recruiters or three. */
export interface Question {
  strategy: string;
  scenario: string;
  sessions: number;
}

/** What came of all schedules, or of as many as are played here. */
export interface Explored extends Question {
  schedules: number;
  /** False where there are more schedules than are played here: then nothing is proven. */
  isComplete: boolean;
  serializationFailures: number;
  /** In how many schedules each fault was found. */
  faults: Record<string, number>;
  /** The schedule that shows the worst fault best. */
  counterexample: ToldSchedule | null;
  milliseconds: number;
}

/** What the events of an exploration say, by their names. */
export interface ExplorationNews {
  /** It waits for its turn; 1 is the next. */
  queued: { place: number };
  /** Schedules played, and how many there will be where that is known. */
  progress: { schedules: number; of: number | null };
  done: Explored;
  failed: { detail: string };
}

/** An exploration that is to come or under way, and those who listen to it. It ends with the last. */
export class Exploration {
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

  /** Tells all who listen; whoever comes later is told the latest. */
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

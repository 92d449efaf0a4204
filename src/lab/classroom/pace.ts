import { Listener } from '../listener.ts';
import { MOST_STUDENTS } from './roll.ts';

/** What the teacher lets the class do. */
export interface Pace {
  /** The lesson that is open for all. Null if students go on at their own pace. */
  lesson: number | null;
  /** Whether students may open later lessons. */
  mayLookAhead: boolean;
  /** Whether the answer of the open lesson is held back. */
  isHeld: boolean;
  /** Whether students vote a second time in the open lesson. */
  votesAgain: boolean;
}

export const FREE: Pace = { lesson: null, mayLookAhead: true, isHeld: false, votesAgain: false };

/** A student may have several pages open. */
const MOST_LISTENERS = 4 * MOST_STUDENTS;

/** The pace of the room, and the pages that follow it. */
export class PaceMaker {
  readonly #listeners = new Set<Listener>();
  #pace = FREE;

  get pace(): Pace {
    return this.#pace;
  }

  set(pace: Pace) {
    this.#pace = pace;
    for (const listener of this.#listeners) listener.tellLatest('pace', pace);
  }

  /** Returns a listener of the pace, or `full` if too many listen. */
  listen(): Listener | 'full' {
    if (this.#listeners.size >= MOST_LISTENERS) return 'full';
    const listener = new Listener();
    this.#listeners.add(listener);
    listener.left.addEventListener('abort', () => this.#listeners.delete(listener));
    listener.tellLatest('pace', this.#pace);
    return listener;
  }

  close() {
    for (const listener of this.#listeners) listener.leave();
  }
}

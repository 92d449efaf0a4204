import type { Situation } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import type { ToldSchedule } from '../explore/told.ts';

/** One strategy in one situation, with a number of sessions. */
export interface Question {
  /** An address, such as `claims/naive`. */
  strategy: string;
  situation: string;
  sessions: number;
}

/** One question: which strategy is explored, in which situation, with how many sessions. */
export interface Asked extends Addressed {
  situation: Situation;
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

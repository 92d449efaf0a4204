import type { ToldSchedule } from '../../explorer/told.ts';
import type { Situation } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import type { ScheduleNews } from '../runs.ts';
import type { Order } from './orders.ts';

/** One strategy in one situation, with a number of sessions. */
export interface Question {
  /** An address, such as `claims/naive`. */
  strategy: string;
  situation: string;
  sessions: number;
}

/** A question with the strategy and the situation themselves, not only their names. */
export interface Asked extends Addressed {
  situation: Situation;
  sessions: number;
}

/** The result of an exploration. The server may have played only some of the schedules. */
export interface Explored extends Question {
  schedules: number;
  /**
   * False if some schedules were not played. Then nobody knows whether the strategy holds in these
   * schedules.
   */
  isComplete: boolean;
  serializationFailures: number;
  /** In how many schedules each fault was found. */
  faults: Record<string, number>;
  /** The clearest schedule with the gravest fault. Null if no fault was found. */
  counterexample: ToldSchedule | null;
  milliseconds: number;
  /** All played orders. Present only if the caller asked for them. */
  orders?: Order[];
}

export type ExplorationNews = ScheduleNews<Explored>;

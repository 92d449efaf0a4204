import type { TurnsLimits } from '../../platform/waiting/turns.ts';
import { MOST_STUDENTS } from './roll.ts';

/**
 * The limits for each kind of work: explorations, races and runs of the sandbox. A student has one
 * piece of work of a kind at a time, and two more may wait. All students take turns. So the wait of
 * a student depends on the number of students in front, and not on the number of their requests.
 */
export const CLASS_TURNS: TurnsLimits = {
  places: 3,
  placesPerKey: 1,
  longest: 2 * MOST_STUDENTS,
  longestPerKey: 2,
};

/**
 * The maximum time of an exploration. Three long explorations delay the next student by at most
 * this time.
 */
export const EXPLORATION_MS = 15_000;

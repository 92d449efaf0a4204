import type { TurnsLimits } from '../../waiting/turns.ts';
import { MOST_STUDENTS } from './roll.ts';

/**
 * Each student has one exploration, race or run of the sandbox at a time, and two more may wait. All
 * students take turns. So a place in the line depends on the number of students in front, and not on
 * how much each of them asks.
 */
export const CLASS_TURNS: TurnsLimits = {
  places: 3,
  placesPerKey: 1,
  longest: 2 * MOST_STUDENTS,
  longestPerKey: 2,
};

/** Three long explorations delay the next student by at most this time. */
export const EXPLORATION_MS = 15_000;

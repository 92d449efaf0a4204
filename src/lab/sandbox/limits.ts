/**
 * The maximum times of a run and its parts, in milliseconds. Tests that do not check these limits
 * use longer times, because a busy machine is slow.
 */
export interface TimeLimits {
  /**
   * The time of one statement. This limit is no setting of a session, so a student cannot change
   * it.
   */
  statement: number;
  /** No schedule begins after this time, because other runs wait for their turn. */
  schedules: number;
  /** After this time, the sandbox ends the server, even in the middle of the last schedule. */
  run: number;
}

export const USUAL: TimeLimits = { statement: 2_000, schedules: 8_000, run: 12_000 };

/** A lesson plays every situation of its chapter, so a trial of a script takes longer. */
export const OF_LESSON: TimeLimits = { statement: 2_000, schedules: 80_000, run: 90_000 };

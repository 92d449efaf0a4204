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
  /**
   * No schedule of an experiment begins after this time, because other runs wait for their turn.
   */
  schedules?: number;
  /** After this time, the sandbox ends the server, even in the middle of the last schedule. */
  run: number;
}

export const USUAL: TimeLimits = { statement: 2_000, schedules: 8_000, run: 12_000 };

/**
 * A trial of a script plays every situation of its chapter. On two quiet cores, the solution of
 * lesson 13 takes 38 seconds. A class keeps the processors busy for longer than one experiment, so a
 * statement has more time.
 */
export const OF_LESSON: TimeLimits = { statement: 5_000, run: 90_000 };
